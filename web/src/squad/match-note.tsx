import { halvesNote } from "../../../src/squad/halves-note.js";
import { halvesIn } from "./scope.js";
import type { SquadSession } from "./squad-session.js";

/** Says below the figures of a match what limits them. */
export function MatchNote({ session }: { session: SquadSession }) {
  const periods = session.periods.value;
  const note = session.scope.value.kind === "match" && halvesNote(halvesIn(periods), periods);
  return note ? <p class="note">{note}</p> : null;
}
