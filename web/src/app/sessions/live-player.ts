import type { Resource } from "asi-client";

/** The age at which a value disappears, ms. */
export const STALE_MS = 5_000;
/** A longer step between two samples is a gap. Distance in a gap is not counted. */
export const GAP_MS = 5_000;
/** The duration that the trail of a player covers, ms. */
const TRAIL_MS = 10_000;
/** If a sample is ahead of the clock of the service by more than this, later samples do not count as late. */
const AHEAD_MS = 10_000;
/**
 * Number of samples by which a second device of a player must be ahead to replace the displayed one. This prevents two equal devices from
 * alternating.
 */
const LEAD = 100;

interface LiveSample {
  "gnss.latitude": number;
  "gnss.longitude": number;
  "gnss.speed": number;
  "gnss.timestamp": number;
  "ecg.hr": number | null;
}

/** The data of an event. */
export interface LiveData {
  device: number;
  athlete: number | null;
  /** The samples in chronological order. */
  samples: readonly LiveSample[];
}

export interface Position {
  ms: number;
  latitude: number;
  longitude: number;
}

/** The samples that a device has sent for a player. */
export interface Track {
  device: number;
  /** The speed in m/s. */
  speed: number;
  /** The positions, newest last. */
  trail: readonly Position[];
  /** Time of the newest sample. */
  ms: number;
  /** When the newest sample arrived, as a time of `performance.now()`, because the clock of the computer may be wrong. */
  heardMs: number;
  heart: { bpm: number; heardMs: number } | null;
  /** Number of samples since the device connected, or since its last silence. */
  count: number;
}

/** The current state of a player. */
export interface LivePlayer {
  athlete: number;
  /** The tracks by device, because a player may wear two devices. */
  tracks: ReadonlyMap<number, Track>;
  /** The device whose samples are shown and counted. */
  shown: Track;
  /** Distance since `DistanceBefore.endMs`, m. */
  addedM: number;
  /** Time of the last counted sample. */
  countedMs: number;
}

/** The distance of a player in the figures of the service. */
export interface DistanceBefore {
  metres: number;
  endMs: number;
}

/** The times at which samples arrived. */
export interface Arrival {
  /** The time of arrival, as a time of `performance.now()`. */
  heardMs: number;
  /** The same instant, in ms since 1970 UTC. */
  nowMs: number;
  /** Whether these are the first samples since the connection. They may be old. */
  isFirst: boolean;
}

/** Part of a player's path. */
interface Step {
  fromMs: number;
  toMs: number;
  metres: number;
}

/** Adds samples to the state of a player. */
export function withSamples(
  known: LivePlayer | undefined,
  { device, athlete, samples }: LiveData,
  arrival: Arrival,
  before: DistanceBefore | undefined,
): LivePlayer | undefined {
  if (athlete === null) return known;
  const { track, steps } = followed(known?.tracks.get(device), device, samples, arrival);
  if (track === undefined) return known;
  const shown =
    known === undefined || known.shown.device === device || replaces(track, known.shown, arrival.heardMs)
      ? track
      : known.shown;
  let { addedM, countedMs } = known ?? { addedM: 0, countedMs: 0 };
  for (const { fromMs, toMs, metres } of shown === track ? steps : []) {
    // samples up to this time were ahead of the clock
    if (fromMs < countedMs - AHEAD_MS) countedMs = fromMs;
    if (toMs - fromMs > GAP_MS || fromMs < Math.max(countedMs, before?.endMs ?? 0)) continue;
    addedM += metres;
    countedMs = toMs;
  }
  return { athlete, tracks: new Map(known?.tracks).set(device, track), shown, addedM, countedMs };
}

function followed(
  known: Track | undefined,
  device: number,
  samples: readonly LiveSample[],
  { heardMs, nowMs, isFirst }: Arrival,
): { track: Track | undefined; steps: readonly Step[] } {
  const newestMs = samples.at(-1)?.["gnss.timestamp"] ?? 0;
  const newestHeardMs = isFirst ? heardMs - Math.max(0, nowMs - newestMs) : heardMs;
  let track = known === undefined || heardMs - known.heardMs <= STALE_MS ? known : { ...known, count: 0 };
  const steps: Step[] = [];
  for (const sample of samples) {
    const ms = sample["gnss.timestamp"];
    // A sample with a time in the future must not hide the others until that time. The clock of the computer may be fast.
    const isAhead = track !== undefined && (track.ms > nowMs || track.ms - ms > AHEAD_MS);
    if (track !== undefined && ms <= track.ms && !isAhead) continue;
    const speed = sample["gnss.speed"];
    if (track !== undefined && ms > track.ms)
      steps.push({
        fromMs: track.ms,
        toMs: ms,
        metres: ((track.speed + speed) / 2) * ((ms - track.ms) / 1000),
      });
    const bpm = sample["ecg.hr"];
    track = {
      device,
      speed,
      ms,
      heardMs: newestHeardMs,
      heart:
        bpm === null ? (track?.heart ?? null) : { bpm, heardMs: newestHeardMs - Math.max(0, newestMs - ms) },
      count: (track?.count ?? 0) + 1,
      trail: [
        ...(track?.trail ?? []).filter((one) => one.ms >= ms - TRAIL_MS && one.ms < ms),
        { ms, latitude: sample["gnss.latitude"], longitude: sample["gnss.longitude"] },
      ],
    };
  }
  return { track, steps };
}

/** Returns whether this sample makes a different device of the player the displayed one. */
function replaces(track: Track, shown: Track, nowMs: number): boolean {
  if (nowMs - shown.heardMs > STALE_MS) return track.heardMs > shown.heardMs;
  return nowMs - track.heardMs <= STALE_MS && track.count > shown.count + LEAD;
}

/**
 * Returns whether newer figures replace the counted distance of a player. Figures are up to a minute behind, and must not remove distance
 * that was counted since then.
 */
export function hasMore(
  next: DistanceBefore,
  before: DistanceBefore | undefined,
  { addedM, countedMs }: LivePlayer,
): boolean {
  return next.endMs >= countedMs || next.metres >= (before?.metres ?? 0) + addedM;
}

/** Returns the distances in the figures of a session, by athlete. */
export const distancesBefore = ({ rows }: Resource["SessionFigures"]): Map<number, DistanceBefore> =>
  new Map(
    rows.flatMap(({ athlete, period, end, figures }) => {
      const { distance_m: metres } = figures as { distance_m?: number | null };
      if (period !== null || end === null || metres == null) return [];
      // the last sample may be ahead of the clock
      return [[athlete, { metres, endMs: Math.min(Date.parse(end), Date.now()) }] as const];
    }),
  );
