import { hasExtraTime, WITHOUT_EXTRA_TIME } from "../../../src/squad/extra-time.js";
import { halvesIn } from "./scope.js";
import type { SquadSession } from "./squad-session.js";

/** Says below the figures of a match with extra time that they do not contain it. */
export function MatchNote({ session }: { session: SquadSession }) {
  const periods = session.periods.value;
  if (session.scope.value.kind !== "match" || !hasExtraTime(halvesIn(periods), periods)) return null;
  return <p class="note">{WITHOUT_EXTRA_TIME}</p>;
}
