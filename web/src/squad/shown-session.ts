import type { OpenRecording } from "../recording/squad/squad-recording.js";

type Recordings = readonly OpenRecording[];

/** Returns the session that contains a recording, or the session with most recordings if the recording is null. */
export function sessionWith(recordingId: number | null, sessions: readonly Recordings[]): Recordings {
  const largest = sessions.reduce((most, one) => (one.length > most.length ? one : most), sessions[0] ?? []);
  return sessions.find((session) => session.some(({ id }) => id === recordingId)) ?? largest;
}
