import { useMemo } from "preact/hooks";
import "./squad.css";
import { useClock } from "./clock/clock.js";
import { ColumnChoice } from "./columns.js";
import { Controls } from "./controls.js";
import type { SquadSession } from "./squad-session.js";
import { SquadTable } from "./squad-table.js";

/** The squad: a row for each player. */
export function SquadView({ session }: { session: SquadSession }) {
  const columns = useMemo(() => new ColumnChoice(), []);
  const clock = useClock(session);
  return (
    <div class="squad" aria-busy={session.isComputing.value}>
      <Controls session={session} columns={columns} />
      <SquadTable session={session} columns={columns} last={clock} />
    </div>
  );
}
