import { setTimeout as sleep } from "node:timers/promises";
import { RecordingReader } from "../../reading/recording-reader.js";

/** Number of bytes that are sent between two checks of the clock: two or three rows. */
const SLICE_BYTES = 256;

interface Pacing {
  serial: string;
  /** 1 for real time; 10 for ten times that speed. */
  speed: number;
  pace: { startMs: number | null; firstRowMs: number };
  signal: AbortSignal;
}

/** Delays the bytes of a recording so that each row is sent at the right time. */
export async function* paced(
  bytes: AsyncIterable<Uint8Array>,
  { serial, speed, pace, signal }: Pacing,
): AsyncGenerator<Uint8Array> {
  // a serial number makes it possible to read a recording from the middle
  const reader = new RecordingReader({ output: "columns", hr: "device", serial });
  try {
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        const slice = chunk.subarray(at, at + SLICE_BYTES);
        for (const { timestampMs, length } of reader.push(slice)) {
          const rowMs = timestampMs[length - 1] ?? pace.firstRowMs;
          if (pace.startMs === null) {
            pace.startMs = performance.now();
            pace.firstRowMs = rowMs;
          }
          const dueMs = pace.startMs + (rowMs - pace.firstRowMs) / speed;
          const waitMs = dueMs - performance.now();
          if (waitMs > 0) await sleep(waitMs, undefined, { signal });
        }
        yield slice;
      }
    }
  } finally {
    reader.close();
  }
}
