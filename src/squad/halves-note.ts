import { isAnyHalf, isNamedExtra } from "./half-names.js";
import { type SessionPeriod, timesOf } from "./periods.js";

/**
 * Returns the sentences beside the figures of a match: that only their lengths make its periods halves, and that it has extra
 * time; null for other matches and sessions. Extra time is a period after the second half whose name contains "half", "extra", or the word
 * for extra time in another language, or is an abbreviation such as "ET1" *(choice)*.
 *
 * @param halves the halves of the match in chronological order; none for other sessions
 */
export function halvesNote(
  halves: readonly SessionPeriod[] | null,
  periods: readonly SessionPeriod[],
): string | null {
  const [first, second] = halves ?? [];
  if (!first || !second) return null;
  const endMs = Math.max(...timesOf(second).map((times) => times.endMs));
  const isExtra = (one: SessionPeriod) =>
    isNamedExtra(one) && timesOf(one).some(({ startMs }) => startMs >= endMs);
  const notes = [
    // names of drills are not among the halves
    !isAnyHalf(first) && "Match is the sum of two periods without names of halves.",
    periods.some(isExtra) && "Match is the sum of the two halves, without extra time.",
  ];
  return notes.filter(Boolean).join(" ") || null;
}
