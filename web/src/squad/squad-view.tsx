import { useSignal } from "@preact/signals";
import { useCallback, useMemo } from "preact/hooks";
import "./squad.css";
import { useClock } from "./clock/clock.js";
import { PeriodEditor } from "./clock/period-editor.js";
import { ColumnChoice } from "./columns.js";
import { Controls } from "./controls.js";
import { marksOf } from "./marks.js";
import { QualityCard } from "./quality-card.js";
import type { PlayerRow, SquadSession } from "./squad-session.js";
import { SquadTable } from "./squad-table.js";
import type { Against } from "./table-model.js";

/** The squad: a row for each player. */
export function SquadView({ session }: { session: SquadSession }) {
  const columns = useMemo(() => new ColumnChoice(), []);
  const clock = useClock(session);
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
      <Controls session={session} columns={columns} against={against} />
      <SquadTable session={session} columns={columns} against={against} onCard={openCard} last={clock} />
      <PeriodEditor session={session} />
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
