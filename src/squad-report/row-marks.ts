import type { Metrics } from "../metrics/index.js";
import { count } from "../pictures/figure-text.js";
import { isIncomplete, periodShareWithHr } from "../squad/incomplete.js";
import { damageOf, type SquadRecording, type SquadRow } from "../squad/index.js";

/** At or above this share, missing data are not reported *(choice)*. */
const WHOLE_SHARE = 0.99;

/** Returns whether the recordings of a row are complete and undamaged. Some of them may have no heart rate, or rows that are too fast. */
export function isSound({ member: { recordings, leftOut }, coverage }: SquadRow): boolean {
  const isDamaged = recordings.some((one) => one.isDamaged || one.isTruncated);
  return !isDamaged && leftOut.length === 0 && (coverage === null || coverage >= WHOLE_SHARE);
}

/** What limits the figures of a row. */
interface Limitations extends Pick<SquadRow, "coverage" | "hrCoverage"> {
  member: {
    recordings: readonly Pick<SquadRecording, "isDamaged" | "isTruncated">[];
    leftOut: readonly unknown[];
  };
  metrics: { too_fast: Pick<Metrics["too_fast"], "samples"> } | null;
}

/** Describes the limitations of the figures of a row in a few words each. */
export function marksOf(row: Limitations): string[] {
  const { coverage, metrics } = row;
  const { recordings, leftOut } = row.member;
  const hrShare = row.hrCoverage ?? 1;
  const tooFast = metrics?.too_fast.samples ?? 0;
  const marks: string[] = [];
  if (recordings.some(({ isTruncated }) => isTruncated)) marks.push("cut off");
  else if (recordings.some(({ isDamaged }) => isDamaged)) marks.push("damaged");
  if (coverage !== null && coverage < WHOLE_SHARE) marks.push(`${Math.floor(coverage * 100)} %`);
  if (recordings.length > 1) marks.push(`${recordings.length} joined`);
  if (leftOut.length > 0) marks.push(`${leftOut.length} overlapping left out`);
  if (metrics !== null && hrShare < WHOLE_SHARE && isIncomplete(periodShareWithHr(row)))
    marks.push(`HR ${Math.floor(hrShare * 100)} %`);
  if (tooFast > 0) marks.push(`${count(tooFast, "row")} too fast`);
  return marks;
}

/**
 * Describes the limitations of the figures of a row, with the times of damage.
 * @param offsetMs UTC offset of the local times
 */
export function marksInWords(row: SquadRow, offsetMs: number): string[] {
  const clock = (ms: number) => new Date(ms + offsetMs).toISOString().slice(11, 19);
  const { recordings } = row.member;
  const [longest, ...others] = recordings.flatMap((one) => damageOf(one));
  const cut = recordings.find(({ isTruncated }) => isTruncated)?.samples;
  return marksOf(row).map((mark) => {
    if (mark === "cut off" && cut !== undefined)
      return `cut off at ${clock(cut.timestampMs[cut.length - 1] ?? 0)}`;
    if (mark !== "damaged" || longest === undefined) return mark;
    const isMore = recordings.some(({ hasMoreDamage }) => hasMoreDamage);
    const gaps = `${isMore ? "at least " : ""}${count(others.length, isMore ? "other gap" : "shorter gap")}`;
    const more = others.length > 0 ? ` and in ${gaps}` : isMore ? " and perhaps elsewhere" : "";
    return `damaged, no data from ${clock(longest.startMs)} to ${clock(longest.endMs)}${more}`;
  });
}
