import { asSessionPeriods } from "./matches.js";
import type { SessionPeriod } from "./periods.js";
import type { SquadMember } from "./squad-members.js";
import { suggestPeriods } from "./suggest-periods.js";
import { type SuggestedSubstitutions, suggestSubstitutions } from "./suggest-substitutions.js";

/** Returns the periods of a session with the times of the players. Unknown times are suggested. */
export function playedPeriods(
  periods: readonly SessionPeriod[],
  members: readonly SquadMember[],
): SuggestedSubstitutions {
  return suggestSubstitutions(
    periods.length > 0 ? periods : asSessionPeriods(suggestPeriods(members)),
    members,
  );
}
