import type { Metrics } from "../metrics/index.js";
import { KM_PER_H } from "../metrics/rounding.js";
import { count, decimalText } from "../pictures/figure-text.js";
import { type DataShares, isIncomplete, periodShareWithHr } from "../squad/incomplete.js";
import {
  damageOf,
  hasZones,
  isAtLeast,
  type SquadColumn,
  type SquadRecording,
  type SquadRow,
} from "../squad/index.js";

const wholeNumbers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/**
 * Formats a figure for tables: `–` if it is unknown, preceded by `≥` if a part of its signal is missing.
 *
 * @param row the row of the figure; absent for a mean or the highest of several rows
 */
export function cellText(column: SquadColumn, value: number | null, row?: DataShares | null): string {
  if (value === null) return "–";
  const text = column.decimals === 0 ? wholeNumbers.format(value) : decimalText(value, column.decimals);
  return row && isAtLeast(row, column) ? `≥${text}` : text;
}

/** Returns the unit with the threshold in use, if the threshold is the same for all rows. */
export function unitText({ key, unit }: SquadColumn, rows: readonly SquadRow[]): string {
  const thresholds = new Set(
    rows.flatMap(({ metrics }) =>
      metrics === null || !hasZones(metrics.definition.parameters) ? [] : [thresholdOf(key, metrics)],
    ),
  );
  const [threshold] = thresholds;
  if (threshold === undefined || threshold === null) return unit;
  return thresholds.size > 1 ? "own" : threshold;
}

/** Formats a speed in km/h: `25.2`. */
export const kmPerHText = (mPerS: number): string => String(Number((mPerS * KM_PER_H).toFixed(2)));

function thresholdOf(key: string, { definition: { parameters } }: Metrics): string | null {
  switch (key) {
    case "high_speed_m":
      return `≥${kmPerHText(parameters.hid_thresholds[1])}`;
    case "sprints":
    case "sprint_m":
      return `≥${kmPerHText(parameters.sprint_threshold)}`;
    case "accelerations":
      return `≥${parameters.acceleration_thresholds[0]}`;
    case "decelerations":
      return `≤−${Math.abs(parameters.deceleration_thresholds[0])}`;
    default:
      return null;
  }
}

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
export function marksOf({
  member: { recordings, leftOut },
  coverage,
  hrCoverage,
  metrics,
}: Limitations): string[] {
  const marks: string[] = [];
  if (recordings.some(({ isTruncated }) => isTruncated)) marks.push("cut off");
  else if (recordings.some(({ isDamaged }) => isDamaged)) marks.push("damaged");
  if (coverage !== null && coverage < WHOLE_SHARE) marks.push(`${Math.floor(coverage * 100)} %`);
  if (recordings.length > 1) marks.push(`${recordings.length} joined`);
  if (leftOut.length > 0) marks.push(`${leftOut.length} overlapping left out`);
  if (
    metrics !== null &&
    hrCoverage !== null &&
    hrCoverage < WHOLE_SHARE &&
    isIncomplete(periodShareWithHr({ coverage, hrCoverage }))
  )
    marks.push(`HR ${Math.floor(hrCoverage * 100)} %`);
  if (metrics !== null && metrics.too_fast.samples > 0)
    marks.push(`${count(metrics.too_fast.samples, "row")} too fast`);
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
