import { isNamedExtra, isNamedHalf } from "./half-names.js";
import type { SessionPeriod } from "./periods.js";

/**
 * Returns the sentences beside the figures of a match: that only the lengths of its halves say that they are halves, and that it has extra
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
  if (first === undefined || second === undefined) return null;
  const endMs = Math.max(...timesOf(second).map((times) => times.endMs));
  const isExtra = (one: SessionPeriod) =>
    isNamedExtra(one) && timesOf(one).some(({ startMs }) => startMs >= endMs);
  const notes = [
    !isNamedHalf(first) &&
      "Match is the sum of two periods that only their lengths make halves. If they are drills, add “drill” to their names.",
    periods.some(isExtra) && "Match is the sum of the two halves, without extra time.",
  ];
  return notes.filter(Boolean).join(" ") || null;
}

const timesOf = ({ all, own }: SessionPeriod) => [all ?? [], ...own.values()].flat();
