import {
  type MetricSamples,
  type MetricsOptions,
  metabolicEstimate,
  metabolicSummary,
  prepareSamples,
  profileSpeeds,
  sessionProfile,
  standardRuns,
} from "asi-convert/metrics";
import {
  figureOf,
  figuresByInterval,
  type Interval,
  limitsOfIntervals,
  type Player,
  recordedSpans,
  recordedTimeMs,
  SQUAD_COLUMNS,
  type SquadMember,
  type SquadRecording,
  squadMembers,
  squadRow,
  united,
} from "asi-convert/squad";
import { FILE_COLUMNS } from "asi-convert/squad-report";
import {
  concatColumns,
  lowerBound,
  type SampleColumns,
  sliceColumns,
} from "../../../store/samples/columns.js";
import { decodeStored } from "../../../store/samples/stored.js";
import type {
  OptionalPlayerFigures,
  PlayerFigures,
  PlayerPeriod,
  PlayerTask,
  PlayerTracker,
} from "../../change/compute-pool.js";

/** Computes the figures of a player in each period, as `asi squad` computes them from recordings with the same samples. */
export function runPlayerTask(task: PlayerTask): Map<string, PlayerFigures> {
  const recordings = task.trackers
    .map(
      (tracker): SquadRecording => ({
        fileName: tracker.serial,
        serial: tracker.serial,
        samples: samplesOf(tracker),
        isDamaged: false,
        isTruncated: false,
        damagedAfterMs: [],
      }),
    )
    .filter(({ samples }) => samples.length > 0);
  const member = memberOf(task, recordings);
  const { preset, params } = task;
  const samples = prepareSamples(member.recordings.map((recording) => recording.samples));
  const figures = figuresByInterval(member, { preset, params }, samples);
  return new Map(
    task.periods.map((period) => {
      const limits = limitsOfIntervals(period.intervals);
      const optional = () => optionalFiguresOf(samples, { preset, params, ...limits });
      return [period.period, figuresIn(member, period, figures, optional)];
    }),
  );
}

function optionalFiguresOf(samples: MetricSamples, options: MetricsOptions): OptionalPlayerFigures {
  const speeds = profileSpeeds(samples, options);
  const { profile, reason } = sessionProfile(speeds);
  return {
    maxSpeed: speeds.maxSpeed,
    profile,
    profileReason: reason,
    metabolic: metabolicSummary(metabolicEstimate(samples, options)),
    standardRuns: standardRuns(samples, options).runs.length,
  };
}

/** Returns the samples of the player, in chronological order. */
function samplesOf({ deviceId, chunks, times }: PlayerTracker): SampleColumns {
  const all = concatColumns(chunks.map((chunk) => decodeStored(deviceId, chunk)));
  const parts = times.map(({ startMs, stopMs }) =>
    sliceColumns(
      all,
      lowerBound(all.timestampMs, all.length, startMs),
      lowerBound(all.timestampMs, all.length, stopMs + 1),
    ),
  );
  return concatColumns(parts);
}

/**
 * Returns the player for the functions of the library. If several trackers are worn at the same time, the one with more data
 * counts.
 */
function memberOf({ name, birthDate }: PlayerTask, recordings: readonly SquadRecording[]): SquadMember {
  const player: Player = {
    name,
    number: null,
    position: null,
    serials: recordings.map(({ serial }) => serial),
    files: [],
    maxHr: null,
    restHr: null,
    highSpeedMPerS: null,
    sprintMPerS: null,
    birthDate,
    massKg: null,
    maxSpeedMPerS: null,
    aerobicSpeedMPerS: null,
    line: 1,
  };
  const [member] = squadMembers(recordings, { players: [player] });
  return member ?? { name, player, recordings: [], leftOut: [] };
}

function figuresIn(
  member: SquadMember,
  { period, intervals, periodMs, bench }: PlayerPeriod,
  figures: ReturnType<typeof figuresByInterval>,
  optional: () => OptionalPlayerFigures,
): PlayerFigures {
  const computed = figures(intervals);
  const row = squadRow(member, period === "" ? null : period, periodMs, computed, bench);
  const { metrics, hrCoverage } = row;
  return {
    figures: Object.fromEntries(SQUAD_COLUMNS.map((column) => [column.key, figureOf(row, column)])),
    cells: Object.fromEntries(FILE_COLUMNS.map(({ key, cell }) => [key, cell({ ...row, session: "" })])),
    recordedMs: metrics === null ? null : recordedTimeMs(metrics),
    hrCoverage,
    tooFast: metrics?.too_fast ?? null,
    seconds: period === "" ? secondsWithData(member, intervals) : [],
    definition: metrics?.definition ?? null,
    further: metrics === null ? null : optional(),
  };
}

/** Returns the seconds with data, by the same rule as for the session length in `asi squad`. */
function secondsWithData(
  { recordings }: SquadMember,
  intervals: PlayerPeriod["intervals"],
): [from: number, to: number][] {
  const fromMs = intervals[0]?.startMs ?? 0;
  const toMs = (intervals.at(-1)?.endMs ?? 0) - 1;
  const spans = recordings.flatMap(({ samples }) => recordedSpans(samples));
  const within = spans
    .map(({ startMs, endMs }) => ({ startMs: Math.max(startMs, fromMs), endMs: Math.min(endMs, toMs) }))
    .filter(({ startMs, endMs }) => endMs >= startMs)
    .map(({ startMs, endMs }) => ({
      startMs: 1000 * Math.floor(startMs / 1000),
      endMs: 1000 * (Math.floor(endMs / 1000) + 1),
    }));
  return withoutShortest(united(within)).map(({ startMs, endMs }) => [startMs / 1000, endMs / 1000]);
}

/**
 * Maximum number of parts of a recording: ten hours with a break each minute. Above it, the shortest breaks count as time with
 * data.
 */
const MAX_PARTS = 600;

/** Joins intervals across the shortest breaks until there are at most `MAX_PARTS`, because a season reads all of them. */
function withoutShortest(parts: readonly Interval[]): Interval[] {
  const breaks = parts.slice(1).map(({ startMs }, i) => startMs - (parts[i]?.endMs ?? 0));
  const kept = new Set(
    [...breaks.keys()]
      .sort((a, b) => (breaks[b] ?? 0) - (breaks[a] ?? 0))
      .slice(0, MAX_PARTS - 1)
      .map((i) => i + 1),
  );
  const joined: Interval[] = [];
  for (const [i, { startMs, endMs }] of parts.entries()) {
    const last = joined.at(-1);
    if (last === undefined || kept.has(i)) joined.push({ startMs, endMs });
    else last.endMs = endMs;
  }
  return joined;
}
