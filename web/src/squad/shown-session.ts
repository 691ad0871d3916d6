import type { Interval } from "asi-convert/squad";
import type { OpenRecording } from "../recording/squad/squad-recording.js";

type Recordings = readonly OpenRecording[];

/** Returns the session that contains a recording, or the session with most recordings if the recording is null. */
export function sessionWith(recordingId: number | null, sessions: readonly Recordings[]): Recordings {
  const largest = sessions.reduce((most, one) => (one.length > most.length ? one : most), sessions[0] ?? []);
  return sessions.find((session) => session.some(({ id }) => id === recordingId)) ?? largest;
}

/** Returns the time from the first row to the end of the last, or null if there are no recordings. */
export function extentOf(recordings: Recordings): Interval | null {
  if (recordings.length === 0) return null;
  return {
    startMs: recordings.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY),
    endMs: recordings.reduce((most, { endMs }) => Math.max(most, endMs), Number.NEGATIVE_INFINITY) + 1,
  };
}
