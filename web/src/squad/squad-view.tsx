import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import "./squad.css";
import { useLoaded } from "../view/use-loaded.js";
import { useClock } from "./clock/clock.js";
import { PeriodPanel } from "./clock/period-panel.js";
import { ColumnChoice } from "./columns.js";
import { type Part, PartChoice, Side, shownParts } from "./composition.js";
import { Controls } from "./controls.js";
import type { Keeper } from "./keeper.js";
import { marksOf } from "./marks.js";
import { PaperPlace } from "./paper/paper-place.js";
import { QualityPlace } from "./quality-place.js";
import { ReadingPanel } from "./reading-panel.js";
import { isSound } from "./squad-player.js";
import type { PlayerRow, SquadSession } from "./squad-session.js";
import { SquadTable } from "./squad-table.js";
import { StatusLine } from "./status-line.js";
import type { Against } from "./table-model.js";

const loadLookAt = () => import("./look-at-part.js");
const loadRecipes = () => import("./recipes/recipes-part.js");
const loadPlay = () => import("./play-part.js");

/** The squad, with a row for each player. */
export function SquadView({ session, keeper }: { session: SquadSession; keeper: Keeper | null }) {
  const columns = useMemo(() => new ColumnChoice(), []);
  const clock = useClock(session);
  const part = useSignal<Part>("table");
  const parts = shownParts(part.value);
  // other parts wait until the files are read
  const isReading = session.isReading.value;
  const play = useLoaded(loadPlay, !isReading);
  const recipes = useLoaded(
    loadRecipes,
    !isReading && columns.recipes.value + columns.optionalKeys.value !== "",
  );
  useEffect(() => recipes?.followChoice(session, columns), [recipes, session, columns]);
  const now = useMemo(
    () => ({
      name: "Now",
      unit: "km/h",
      cell: ({ member }: PlayerRow) =>
        play === null ? <td /> : <play.NowCell session={session} player={member} />,
    }),
    [session, play],
  );
  const partsOf = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (play === null) return;
    const playback = play.playbackOf(session);
    // the keys of playback work in the table, the clock and the map
    const press = (event: KeyboardEvent) => {
      if (!event.defaultPrevented) playback.pressKey(event);
    };
    const element = partsOf.current;
    element?.addEventListener("keydown", press);
    return () => {
      element?.removeEventListener("keydown", press);
      playback.pause();
    };
  }, [session, play]);
  const against = useSignal<Against>("column");
  const card = useSignal<{ key: string; at: { x: number; y: number }; opener: HTMLElement } | null>(null);
  const openCard = useCallback(
    ({ member }: PlayerRow, beside: HTMLElement) => {
      const { left, bottom } = beside.getBoundingClientRect();
      card.value = {
        key: member.key,
        at: { x: left, y: bottom + 4 },
        opener: beside.closest("tr") ?? beside,
      };
    },
    [card],
  );
  const closeCard = useCallback(() => {
    const opener = card.peek()?.opener;
    card.value = null;
    opener?.focus();
  }, [card]);
  const shown = card.value;
  const row = session.figures.value.rows.find(({ member }) => member.key === shown?.key);
  // The list is initially closed, so that the table has the full height.
  const isListOpen = useSignal(false);
  const looking = useLoaded(loadLookAt, !isReading);
  const items = looking?.lookAt(session) ?? [];
  const isListShown = items.length > 0 && isListOpen.value;
  const sound = session.shownRecordings.value.filter(isSound).length;
  return (
    <div class="squad" aria-busy={session.isComputing.value || session.isReading.value}>
      {isReading && <ReadingPanel session={session} />}
      {isListShown && looking !== null ? (
        <looking.LookAtList
          session={session}
          items={items}
          onClose={() => {
            isListOpen.value = false;
          }}
        />
      ) : null}
      <Controls session={session} columns={columns} against={against} hasFigures={parts.table === "figures"}>
        <PartChoice part={part} />
      </Controls>
      <div class={`squad-parts${parts.hasMap ? " with-map" : ""}`} ref={partsOf}>
        {parts.table === null ? null : (
          <SquadTable
            session={session}
            columns={columns}
            against={against}
            onCard={openCard}
            last={parts.hasClock ? clock : undefined}
            instead={parts.table === "figures" ? undefined : parts.table === "now" ? now : null}
          />
        )}
        {parts.hasMap && <Side session={session} />}
        <PeriodPanel session={session} />
      </div>
      {recipes && <recipes.Cautions session={session} />}
      {looking && <looking.MatchNote session={session} />}
      <StatusLine
        sound={sound}
        toLookAt={items.length}
        isListShown={isListShown}
        onList={() => {
          isListOpen.value = !isListShown;
        }}
        keeper={keeper}
        stored={session.stored}
        onClose={() => session.close()}
      />
      {!isReading && <PaperPlace session={session} />}
      {shown && row && (
        <QualityPlace
          key={shown.key}
          session={session}
          row={row}
          marks={marksOf(row, session.ofAnotherSport.value.has(row.member.key))}
          at={shown.at}
          onClose={closeCard}
        />
      )}
    </div>
  );
}
