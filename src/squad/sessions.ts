import { distanceMm } from "../metrics/great-circle.js";

/** The time and place of a recording, which are known before its figures. */
export interface RecordingExtent {
  /** First and last row, ms since 1970 UTC. */
  startMs: number;
  endMs: number;
  /** The first position, in degrees (WGS 84); null if there is none. */
  place: { latitude: number; longitude: number } | null;
}

/** Recordings with a shorter pause between them belong together *(choice)*. */
export const MAX_PAUSE_MS = 30 * 60_000;
/** Recordings of one session begin within this distance *(choice)*. */
export const MAX_DISTANCE_M = 5000;

/**
 * Groups recordings by session. Recordings belong to one session if they overlap or follow each other within 30 minutes, and
 * begin within 5 km of each other. A recording without a position is grouped by time only.
 *
 * @returns the sessions in chronological order, each with its recordings in the order of the argument
 */
export function findSessions<T extends RecordingExtent>(recordings: readonly T[]): T[][] {
  const sessionOf = new Map<T, Set<T>>();
  for (const one of recordings) {
    const joined = new Set([one]);
    for (const session of new Set(sessionOf.values())) {
      if ([...session].some((other) => belongTogether(one, other)))
        for (const other of session) joined.add(other);
    }
    for (const member of joined) sessionOf.set(member, joined);
  }
  return [...new Set(sessionOf.values())]
    .map((session) => recordings.filter((one) => session.has(one)))
    .sort((a, b) => startOf(a) - startOf(b));
}

function startOf(session: readonly RecordingExtent[]): number {
  return session.reduce((earliest, { startMs }) => Math.min(earliest, startMs), Number.POSITIVE_INFINITY);
}

function belongTogether(a: RecordingExtent, b: RecordingExtent): boolean {
  const pauseMs = Math.max(a.startMs, b.startMs) - Math.min(a.endMs, b.endMs);
  if (pauseMs > MAX_PAUSE_MS) return false;
  return a.place === null || b.place === null || distanceM(a.place, b.place) <= MAX_DISTANCE_M;
}

interface Place {
  latitude: number;
  longitude: number;
}

/** Returns the great-circle distance in m (haversine formula). */
function distanceM(a: Place, b: Place): number {
  return distanceMm(a.latitude * 1e7, a.longitude * 1e7, b.latitude * 1e7, b.longitude * 1e7) / 1000;
}
