import { requireOptions } from "../arguments.js";
import { isValidHeartRate } from "../metrics/heart-rate.js";
import {
  computeMetrics,
  type MetricSamples,
  type Metrics,
  type MetricsOptions,
  type ParameterOverrides,
  type PresetName,
  type peakDemands,
  prepareSamples,
  type Recipe,
  trimp,
} from "../metrics/index.js";
import { recordedTimeMs } from "../metrics/recorded-time.js";
import { orderSamples } from "../metrics/samples.js";
import { benchOf } from "./bench.js";
import { type Interval, lengthOf } from "./interval.js";
import {
  type EstimateFunctions,
  type MemberEstimates,
  memberEnergy,
  memberRuns,
} from "./member-estimates.js";
import { type MemberPeaks, memberPeaks } from "./member-peaks.js";
import { ownZones, type ZoneKind } from "./own-zones.js";
import { intervalsFor, type SessionPeriod } from "./periods.js";
import { countRecipes, type RecipeCounts } from "./recipe-counts.js";
import { mainInterval, recordedWithinMs, sessionTime } from "./recorded-time.js";
import type { Player } from "./roster.js";
import type { SquadMember, SquadRecording } from "./squad-members.js";

/** One row: a player in a period, or in the whole session. */
export interface SquadRow extends MemberFigures {
  member: SquadMember;
  /** Name of the period; null for the whole session. */
  period: string | null;
  /**
   * Duration of the period for this player, ms; for a session, the part in which any player has data. 0 if the player does not take part.
   */
  periodMs: number;
  /**
   * Part of this duration that the player spends on the bench, according to `playedPeriods`, ms. In periods without times of substitutes,
   * time on the bench counts as playing.
   */
  benchMs: number;
  /** Part of the time on the bench with data, ms. Other time without data counts only once against the player. */
  benchRecordedMs: number;
  /** Share of the period with data, 0 to 1; null if the player does not take part. */
  coverage: number | null;
}

export interface SquadOptions extends EstimateFunctions {
  preset?: PresetName | undefined;
  /** Parameters for players whose roster entry has none. */
  params?: ParameterOverrides | undefined;
  /** Individual zones for all players. Players without the required speeds have no figures by zones. */
  zones?: ZoneKind | undefined;
  /** Additional recipes to count by. Recipes with a gate require samples with their quality. */
  recipes?: readonly Recipe[] | undefined;
  /** Computes the peak demands. Default: none, so that bundles without peaks do not contain the function. */
  peaks?: typeof peakDemands | undefined;
  /** Whether a reason replaces counts of recipes, peaks and standard runs that cannot be computed. By default, they cause an error. */
  mayBeUncounted?: boolean | undefined;
}

/**
 * Computes the rows of a session. Each member has one row for the whole session and one for each period, with the figures that
 * `computeMetrics` returns for the same samples and interval. Rows of another session do not count, as in `sessionTime`.
 *
 * @param periods the periods of the session, preceded by the result of `matchOf` if the table contains the match
 * @param played the periods from `playedPeriods`, for the time on the bench. Default: `periods`
 */
export function squadRows(
  members: readonly SquadMember[],
  periods: readonly SessionPeriod[],
  options: SquadOptions = {},
  played: readonly SessionPeriod[] = periods,
): SquadRow[] {
  const recordings = members.flatMap((member) => member.recordings);
  const { ms, intervals: main } = sessionTime(recordings);
  return members.flatMap((member) => {
    const figures = figuresByInterval(member, options);
    const bench = benchOf(played, member.name);
    return [
      squadRow(member, null, ms, figures(main), bench(null)),
      ...periods.map((period) => {
        const intervals = intervalsFor(period, member.name);
        return squadRow(member, period.name, lengthOf(intervals), figures(intervals), bench(intervals));
      }),
    ];
  });
}

/**
 * The figures of a member in an interval. Counts of recipes, peaks and estimates are absent if they were not requested or if there are no
 * data.
 */
export interface MemberFigures extends RecipeCounts, MemberPeaks, MemberEstimates {
  /** Null if there are no data. */
  metrics: Metrics | null;
  /** Share of the recorded time with a heart rate, 0 to 1; null if there are no data. */
  hrCoverage: number | null;
  /** Training impulse after Edwards; null if there is no heart rate or the maximum heart rate is unknown. */
  trimp: number | null;
}

/** The figures without data. */
export const NO_FIGURES: MemberFigures = {
  metrics: null,
  hrCoverage: null,
  trimp: null,
};

/**
 * Computes the figures of a member, as `computeMetrics` does for the same samples and interval.
 *
 * @param intervals ascending and disjoint; empty if the member does not take part; null for all samples, with the figures of the recording
 *   alone
 */
export const memberFigures = (
  member: SquadMember,
  intervals: readonly Interval[] | null,
  options: SquadOptions = {},
): MemberFigures => figuresByInterval(member, options)(intervals);

/**
 * Does the same as `memberFigures` for several intervals, which share intermediate results.
 *
 * @param samples the member's samples from `prepareSamples`, which also shares intermediate results with other figures
 */
export function figuresByInterval(
  member: SquadMember,
  options: SquadOptions = {},
  samples: MetricSamples = prepareSamples(member.recordings.map(({ samples }) => samples)),
): (intervals: readonly Interval[] | null) => MemberFigures {
  requireOptions(options, [
    ...["preset", "params", "zones", "recipes", "mayBeUncounted"],
    ...["peaks", "metabolic", "standardRuns"],
  ]);
  return (intervals) => figuresOf(member, samples, intervals, options);
}

/** @param samples the member's prepared samples */
function figuresOf(
  member: SquadMember,
  samples: MetricSamples,
  intervals: readonly Interval[] | null,
  {
    preset,
    params,
    zones,
    recipes = [],
    peaks,
    metabolic,
    standardRuns,
    mayBeUncounted = false,
  }: SquadOptions,
): MemberFigures {
  if (intervals?.length === 0 || member.recordings.length === 0) return NO_FIGURES;
  const limits = intervals === null ? {} : limitsOfIntervals(intervals);
  const options: MetricsOptions = {
    ...(preset !== undefined && { preset }),
    params: {
      ...params,
      ...ownParameters(member.player),
      ...(zones !== undefined && ownZones(zones, member.player, { preset, params })),
    },
    birthDate: member.player?.birthDate ?? null,
    ...limits,
  };
  const metrics = computeMetrics(samples, options);
  if (metrics.first_timestamp === null) return NO_FIGURES;
  const recordedMs = recordedTimeMs(metrics);
  const { athlete_max_hr: maxHr } = metrics;
  const input = { name: member.name, samples, mayBeMissing: mayBeUncounted };
  return {
    metrics,
    hrCoverage: heartRateShare(member, recordedMs, intervals),
    trimp: maxHr === null ? null : trimp(samples, { method: "edwards", maxHr }, limits),
    ...memberPeaks(peaks, {
      ...input,
      options: { ...options, ...(intervals === null && limitsOfMain(member, metrics)) },
    }),
    ...memberEnergy(metabolic, samples, options),
    ...memberRuns(standardRuns, { ...input, options }),
    ...countRecipes(recipes, { name: member.name, samples, limits, mayBeUncounted }),
  };
}

/**
 * Creates a row of the table.
 *
 * @param periodMs duration of the period for the member; 0 if the member does not take part
 * @param bench the times on the bench in this duration, ascending and disjoint
 */
export function squadRow(
  member: SquadMember,
  period: string | null,
  periodMs: number,
  figures: MemberFigures,
  bench: readonly Interval[],
): SquadRow {
  const { metrics } = figures;
  return {
    member,
    period,
    periodMs,
    benchMs: lengthOf(bench),
    benchRecordedMs: recordedWithinMs(member.recordings, bench),
    ...(periodMs === 0 ? NO_FIGURES : figures),
    coverage: periodMs === 0 ? null : metrics === null ? 0 : Math.min(1, recordedTimeMs(metrics) / periodMs),
  };
}

/** Converts ascending, disjoint intervals to limits for `computeMetrics`. */
export function limitsOfIntervals(intervals: readonly Interval[]): MetricsOptions {
  const [first] = intervals;
  const last = intervals.at(-1);
  if (first === undefined || last === undefined) return {};
  return { from: first.startMs, to: last.endMs - 1, periods: intervals };
}

/**
 * Limits the peaks to the main time of the session. Rows of another day, which a tracker wrote before it received the date, are excluded,
 * because the memory for peaks grows with the time from the first row to the last.
 */
function limitsOfMain(
  { recordings }: SquadMember,
  { first_timestamp: firstMs, last_timestamp: lastMs }: Metrics,
): MetricsOptions {
  const main = mainInterval(recordings);
  const isAll = firstMs !== null && lastMs !== null && firstMs >= main.startMs && lastMs < main.endMs;
  // figures with the same limits share intermediate results
  return isAll ? {} : limitsOfIntervals([main]);
}

/** Returns the thresholds and maximum heart rate of a player, which replace those of the squad. */
export function ownParameters(player: Player | null): ParameterOverrides {
  if (player === null) return {};
  const { maxHr, highSpeedMPerS, sprintMPerS } = player;
  return {
    ...(maxHr !== null && { max_hr: maxHr }),
    ...(sprintMPerS !== null && { sprint_threshold: sprintMPerS }),
    ...(highSpeedMPerS !== null && { hid_thresholds: highSpeedThresholds(highSpeedMPerS) }),
  };
}

/** Returns the thresholds of high-intensity distance. The second one is the high-speed threshold; the first one must be lower. */
export function highSpeedThresholds(highSpeedMPerS: number): [number, number] {
  return [Math.min(4, highSpeedMPerS * 0.9), highSpeedMPerS];
}

/** A heart rate is valid until the next one, but at most for this time, as in `hr_avg` (docs/metrics.md). */
const LONGEST_HOLD_MS = 5000;

const ALWAYS: Interval = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY };

/**
 * Returns the share of the recorded time with a valid heart rate, 0 to 1; null without recorded time.
 *
 * @param intervals ascending and disjoint; null for all samples
 */
export function heartRateShare(
  { recordings }: { recordings: readonly Pick<SquadRecording, "samples">[] },
  recordedMs: number,
  intervals: readonly Interval[] | null,
): number | null {
  const { timestampMs, hr } = orderSamples(recordings.map(({ samples }) => samples));
  let heldMs = 0;
  for (const { startMs, endMs } of intervals ?? [ALWAYS]) {
    let heardMs = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < hr.length; i++) {
      const ms = timestampMs[i] ?? 0;
      if (ms < startMs || ms >= endMs || !isValidHeartRate(hr[i] ?? 0)) continue;
      heldMs += Math.min(ms - heardMs, LONGEST_HOLD_MS);
      heardMs = ms;
    }
  }
  return recordedMs === 0 ? null : Math.min(1, heldMs / recordedMs);
}
