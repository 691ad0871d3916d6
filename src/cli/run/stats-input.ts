import { basename } from "node:path";
import {
  type Beats,
  beatsBetween,
  computeMetrics,
  heartRatePeriods,
  type MetricSamples,
  type Metrics,
  type MetricsOptions,
  type Period,
  prepareSamples,
} from "../../metrics/index.js";
import type { Repeated } from "../../metrics/samples.js";
import {
  hasZoneSpeeds,
  type Interval,
  intervalsFor,
  limitsOfIntervals,
  mainInterval,
  nameKey,
  ownParameters,
  ownZones,
  type SessionPeriod,
  squadMembers,
  type ZoneKind,
} from "../../squad/index.js";
import type { TrackSummary } from "../../tracks/decode-track.js";
import type { RecordingInfo, Report } from "../../types.js";
import type { Input } from "../batch/inputs.js";
import { DescribedError } from "../terminal/problem.js";
import { type Club, periodsFor } from "./club.js";
import { type Figures, optionalFigures, type WantedFigures } from "./figures.js";
import { readBeats } from "./read-beats.js";
import { type ReadSamples, readSamples, type SampleSelection } from "./read-samples.js";
import { outsideText, type Present } from "./squad-notices.js";

/** A computation in the form of a message to a worker thread. */
export interface StatsTask {
  input: Input;
  selection: SampleSelection;
  options: MetricsOptions;
  club: Club;
  /** The basis of the players' individual zones; undefined for fixed zones. */
  zones: ZoneKind | undefined;
  /** Includes only rows whose heart rate is in this range; undefined for all rows. */
  heartRange?: HeartRange | undefined;
  figures: WantedFigures | null;
}

/** The lowest and the highest heart rate, in bpm. */
export type HeartRange = readonly [low: number, high: number];

/** The figures of a period. */
export interface PeriodStats {
  name: string;
  /** Null if the player does not take part. */
  metrics: Metrics | null;
  /** Absent if none were requested; null if there are no data. */
  figures?: Figures | null;
}

/** The figures of a recording. */
export interface Stats {
  info: RecordingInfo;
  report: Report;
  repeated: Repeated;
  metrics: Metrics;
  /** Name from the roster; null if the roster does not contain the player. */
  player: string | null;
  periods: PeriodStats[];
  /** A message about periods outside the recording; null for none. */
  outside: string | null;
  present: Present;
  /** Null if none were requested. */
  figures: Figures | null;
  /** Null if the input is a recording. */
  track: TrackSummary | null;
}

/** Reads an input and computes its figures. Throws the errors of `readSamples`. */
export async function statsOf(
  { input, selection, options, club, zones, heartRange, figures: wanted }: StatsTask,
  { onProgress, signal }: { onProgress(bytesRead: number): void; signal: AbortSignal },
): Promise<Stats> {
  const read = await readSamples(input, selection, signal, onProgress);
  const { inspection, repeated, track } = read;
  const { info, report } = inspection;
  const { own, prepared, intervals, within, ...ofRecording } = figuresOf(input, read, options, club, {
    zones,
    heartRange,
  });
  if (wanted === null) return { info, report, repeated, track, ...ofRecording, figures: null };
  const beats = wanted.hrv ? await readBeats(input, selection.serial, read, signal) : [];
  const figuresIn = (part: readonly Interval[]) =>
    optionalFigures(
      prepared,
      beatsIn(beats, part),
      { ...own, ...limitsOfIntervals(part), ...within(part) },
      wanted,
    );
  return {
    info,
    report,
    repeated,
    track,
    ...ofRecording,
    periods: ofRecording.periods.map(({ name, metrics }) => ({
      name,
      metrics,
      figures:
        metrics === null || metrics.first_timestamp === null
          ? null
          : figuresIn(intervals.filter((one) => one.name === name)),
    })),
    figures: optionalFigures(prepared, beats, own, wanted),
  };
}

/** Returns the beats within intervals, whose ends are exclusive. Beats in different intervals are not connected. */
function beatsIn(beats: readonly Beats[], intervals: readonly Interval[]): Beats[] {
  return intervals.flatMap(({ startMs, endMs }) =>
    beats.map((batch) => beatsBetween(batch, startMs, endMs - 1)),
  );
}

/** The part of a period in which a player takes part. */
export interface NamedInterval extends Interval {
  name: string;
}

/**
 * Computes the figures of a recording and of each period, with the thresholds of its player.
 *
 * @throws DescribedError `NO_ZONES` if individual zones are requested, but the player's speeds for them are missing
 */
export function figuresOf(
  input: Input,
  { samples, inspection, from, to }: ReadSamples,
  options: MetricsOptions,
  club: Club,
  { zones, heartRange }: Pick<StatsTask, "heartRange"> & { zones?: ZoneKind | undefined } = {},
): Pick<Stats, "metrics" | "player" | "periods" | "outside" | "present"> & {
  intervals: readonly NamedInterval[];
  /** Options for the whole recording, with the thresholds of the player. */
  own: MetricsOptions;
  /** The samples for the optional figures. */
  prepared: MetricSamples;
  /**
   * Returns the option that selects the times of the heart-rate range within intervals, or within the whole recording. Empty if no range is
   * given.
   */
  within(intervals: readonly Interval[] | null): { periods?: readonly Period[] };
} {
  const { serial } = inspection.info;
  const sound = { isDamaged: false, isTruncated: false, damagedAfterMs: [] };
  const recording = { fileName: basename(input.name), serial, samples, ...sound };
  const [member] = squadMembers([recording], club.roster);
  const player = member?.player ?? null;
  const name = player?.name ?? club.names.get(input.name) ?? member?.name ?? "";
  if (zones !== undefined && !hasZoneSpeeds(zones, player)) throw withoutZones(zones, name);
  const own: MetricsOptions = {
    ...options,
    params: {
      ...options.params,
      ...ownParameters(player),
      ...(zones !== undefined && ownZones(zones, player, options)),
    },
    birthDate: player?.birthDate ?? null,
  };
  const session = mainInterval([recording]);
  const found = periodsFor(club, session);
  const periods = found.map((period) => ({ name: period.name, intervals: intervalsFor(period, name) }));
  const prepared = prepareSamples(samples);
  const inRange = heartRange === undefined ? null : heartRatePeriods(prepared, ...heartRange);
  const within = (part: readonly Interval[] | null) =>
    inRange === null ? {} : { periods: part === null ? inRange : commonPeriods(part, inRange) };
  const whole = { ...own, ...limitsOf({ from, to }), ...within(null) };
  return {
    metrics: computeMetrics(prepared, whole),
    prepared,
    within,
    own: whole,
    player: player?.name ?? null,
    present: { name, isInRoster: player !== null, recordings: [{ serial, fileName: recording.fileName }] },
    outside: outsideText(
      found.map((period) => ofPlayer(period, name)),
      session,
      club.periods?.timeZone,
    ),
    periods: periods.map(({ name: period, intervals }) => {
      if (intervals.length === 0) return { name: period, metrics: null };
      const ofPeriod = { ...own, ...limitsOfIntervals(intervals), ...within(intervals) };
      return { name: period, metrics: computeMetrics(prepared, ofPeriod) };
    }),
    intervals: periods.flatMap((period) => period.intervals.map((one) => ({ name: period.name, ...one }))),
  };
}

/** Returns the times that are in both lists. Each list must be ascending and disjoint. */
const commonPeriods = (some: readonly Period[], others: readonly Period[]): Period[] =>
  some.flatMap((one) =>
    others.flatMap((other) => {
      const startMs = Math.max(one.startMs, other.startMs);
      const endMs = Math.min(one.endMs, other.endMs);
      return startMs < endMs ? [{ startMs, endMs }] : [];
    }),
  );

function withoutZones(kind: ZoneKind, name: string): DescribedError {
  const columns = kind === "mss" ? "max_speed" : "max_speed and aerobic_speed";
  const message = `The roster has no ${columns} for ${name}, which the individual zones require. Complete the roster, or omit --individual-zones.`;
  return new DescribedError({ error: { code: "NO_ZONES", message } });
}

// Reduces a period to the part of one player.
function ofPlayer(period: SessionPeriod, name: string): SessionPeriod {
  const own = period.own.get(nameKey(name));
  return own === undefined
    ? { ...period, own: new Map() }
    : { ...period, all: null, own: new Map([[nameKey(name), own]]) };
}

/** Converts limits for rows, which may be between two milliseconds, to limits for figures. */
export function limitsOf({ from, to }: { from: number | undefined; to: number | undefined }): MetricsOptions {
  return {
    ...(from !== undefined && { from: Math.ceil(from) }),
    ...(to !== undefined && { to: Math.floor(to) }),
  };
}
