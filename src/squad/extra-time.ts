import type { SessionPeriod } from "./periods.js";

/** Names of the halves of a match in several languages, and of its extra time. */
const NAME = /h[aä]l[fb]|mi-temps|extra|overt|verl.n|prolo|pr.rr|sup+lementar[ei]|^[eo]t\W?\d?$/i;

/** Returns whether a period has the name of a half, and not that of a drill. */
export const isNamedHalf = ({ name }: SessionPeriod): boolean => NAME.test(name);

/**
 * Returns the sentence beside the figures of a match with extra time; null for other sessions. Extra time is a period after the second half
 * whose name contains "half", "extra", or the word for extra time in another language, or is an abbreviation such as "ET1" *(choice)*.
 *
 * @param halves the halves of the match in chronological order; none for other sessions
 */
export function extraTimeNote(
  halves: readonly SessionPeriod[] | null,
  periods: readonly SessionPeriod[],
): string | null {
  const [, second] = halves ?? [];
  if (second === undefined) return null;
  const endMs = Math.max(...timesOf(second).map((times) => times.endMs));
  const isExtra = (one: SessionPeriod) =>
    isNamedHalf(one) && timesOf(one).some(({ startMs }) => startMs >= endMs);
  return periods.some(isExtra) ? "Match is the sum of the two halves, without extra time." : null;
}

const timesOf = ({ all, own }: SessionPeriod) => [all ?? [], ...own.values()].flat();
