import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useMemo } from "preact/hooks";
import "./squad.css";
import { useClock } from "./clock/clock.js";
import { ColumnChoice } from "./columns.js";
import { type Part, PartChoice, Side, shownParts } from "./composition.js";
import { Controls } from "./controls.js";
import { marksOf } from "./marks.js";
import { NowCell } from "./now-column.js";
import { playbackOf } from "./play.js";
import { QualityCard } from "./quality-card.js";
import type { PlayerRow, SquadSession } from "./squad-session.js";
import { SquadTable } from "./squad-table.js";
import type { Against } from "./table-model.js";

/** The squad: a row for each player. */
export function SquadView({ session }: { session: SquadSession }) {
  const columns = useMemo(() => new ColumnChoice(), []);
  const clock = useClock(session);
  const part = useSignal<Part>("table");
  const parts = shownParts(part.value);
  const now = useMemo(
    () => ({
      name: "Now",
      unit: "km/h",
      cell: ({ member }: PlayerRow) => <NowCell session={session} player={member} />,
    }),
    [session],
  );
  const playback = playbackOf(session);
  useEffect(() => () => playback.pause(), [playback]);
  const against = useSignal<Against>("column");
  const card = useSignal<{ key: string; at: { x: number; y: number }; opener: Element } | null>(null);
  const openCard = useCallback(
    ({ member }: PlayerRow, beside: Element) => {
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
    if (opener instanceof HTMLElement) opener.focus();
  }, [card]);
  const shown = card.value;
  const row = session.figures.value.rows.find(({ member }) => member.key === shown?.key);
  return (
    <div class="squad" aria-busy={session.isComputing.value || session.isReading.value}>
      <Controls session={session} columns={columns} against={against}>
        <PartChoice part={part} />
      </Controls>
      <div
        class={`squad-parts${parts.hasMap ? " with-map" : ""}`}
        // biome-ignore lint/a11y/noStaticElementInteractions: keys of play hold in all parts
        onKeyDown={(event) => {
          if (!event.defaultPrevented) playback.pressKey(event);
        }}
      >
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
        {parts.hasMap ? <Side session={session} /> : null}
      </div>
      {shown === null || row === undefined ? null : (
        <QualityCard
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
