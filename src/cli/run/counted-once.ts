import { type Interval, lengthOf, nameKey, united } from "../../squad/index.js";

/** A recording whose rows are counted. */
export interface CountedRecording {
  /** Name of the file, as in messages. */
  name: string;
  serial: string;
  /** Identifies the content, from `contentKey`. */
  content: string;
  /** Intervals with rows, disjoint and in ascending order. */
  spans: readonly Interval[];
  /** Name of the player; null if the recording is not assigned to a player. */
  player: string | null;
}

/** Returns the earlier recording with the same content; undefined if there is none. A recording and its copies count once. */
export const originalOf = <T extends Pick<CountedRecording, "content">>(
  { content }: Pick<CountedRecording, "content">,
  earlier: readonly T[],
): T | undefined => earlier.find((one) => one.content === content);

/** Returns the first earlier recording of the same tracker or player that has rows at the same times; undefined if there is none. */
export const simultaneousWith = <T extends CountedRecording>(
  one: CountedRecording,
  earlier: readonly T[],
): T | undefined => earlier.find((other) => haveCommonTime(one, other) && isOfSamePerson(one, other));

/** Returns the message about recordings with rows at the same times. @param where the figure that includes both */
export const simultaneousText = (name: string, other: string, where: string): string =>
  `${name} has rows at the same times as ${other}, and both are included in ${where}. Remove one of them`;

const isOfSamePerson = (a: CountedRecording, b: CountedRecording): boolean =>
  a.serial === b.serial ||
  (a.player !== null && b.player !== null && nameKey(a.player) === nameKey(b.player));

function haveCommonTime({ spans: a }: CountedRecording, { spans: b }: CountedRecording): boolean {
  const isBefore = (one: readonly Interval[], other: readonly Interval[]) =>
    (one.at(-1)?.endMs ?? 0) < (other[0]?.startMs ?? 0);
  // most recordings are from different days
  if (isBefore(a, b) || isBefore(b, a)) return false;
  return lengthOf(a) + lengthOf(b) > lengthOf(united([...a, ...b]));
}
