import { extraTimeNote } from "../../../src/squad/extra-time.js";
import { halvesIn } from "./scope.js";
import type { SquadSession } from "./squad-session.js";

/** Says below the figures of a match with extra time that they do not contain it. */
export function MatchNote({ session }: { session: SquadSession }) {
  const periods = session.periods.value;
  const note = session.scope.value.kind === "match" && extraTimeNote(halvesIn(periods), periods);
  return note ? <p class="note">{note}</p> : null;
}
