import type { SessionPeriod } from "./periods.js";

/** Names of the halves of a match in several languages, and of its extra time. */
const NAME = /half|hälfte|halbzeit|mi-temps|extra|verläng|prolong/i;

/** The sentence beside the figures of a match with extra time. */
export const WITHOUT_EXTRA_TIME = "Match is the sum of the two halves, without extra time.";

/**
 * Returns whether a match has extra time: a period after the second half whose name contains "half", "extra", or the word for extra time in
 * another language *(choice)*.
 *
 * @param halves the halves of the match in chronological order; none for other sessions
 */
export function hasExtraTime(
  halves: readonly SessionPeriod[] | null,
  periods: readonly SessionPeriod[],
): boolean {
  const [, second] = halves ?? [];
  if (second === undefined) return false;
  const endMs = Math.max(...timesOf(second).map((times) => times.endMs));
  return periods.some((one) => NAME.test(one.name) && timesOf(one).some(({ startMs }) => startMs >= endMs));
}

const timesOf = ({ all, own }: SessionPeriod) => [all ?? [], ...own.values()].flat();
