import { Type } from "@sinclair/typebox";
import type { recordingStreams } from "../../store/schema.js";
import { Nullable } from "../../wire/types.js";

export type RecordingStream = typeof recordingStreams.$inferSelect;

/** Another request has replaced this one, or the stream was deleted with samples. */
export class StreamReplaced extends Error {
  override readonly name = "StreamReplaced";
}

/** Name of a recording: opaque to the service. */
export const RecordingName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: "^[A-Za-z0-9._~-]+$",
  description: "Name of the recording, chosen by the gateway",
  examples: ["match-1"],
});

/** Stored part of a recording. */
export const StreamState = Type.Object(
  {
    recording: RecordingName,
    stored_bytes: Type.Integer({
      description:
        "Number of bytes of the recording whose samples are stored: the offset from which to continue",
      examples: [48_213],
    }),
    stored_until: Nullable(
      Type.Integer({
        description: "Latest time of a stored sample, ms since 1970 UTC; null if there is none",
        examples: [1_747_476_000_000],
      }),
    ),
    ended: Type.Boolean({
      description: "Whether the recording is complete; it then accepts no more bytes",
      examples: [false],
    }),
  },
  { $id: "RecordingStream" },
);

export const toState = ({ recording, bytes, storedUntilMs, endedAt }: RecordingStream) => ({
  recording,
  stored_bytes: bytes,
  stored_until: storedUntilMs,
  ended: endedAt !== null,
});

/** Returns the state of a recording of which nothing is stored. */
export const nothingOf = (recording: string) => ({
  recording,
  stored_bytes: 0,
  stored_until: null,
  ended: false,
});
