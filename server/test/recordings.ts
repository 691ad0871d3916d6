/** Creates recordings like those of a device, row by row. */
import { type EncodableRow, encode } from "asi-convert";

export interface RecordingOptions {
  firmwareVersion?: string;
  /** Interval between rows, ms. */
  periodMs?: number;
}

/** Returns a row of a walk. Every value depends only on the time, so a test knows the expected samples. */
export const rowAt = (ms: number): EncodableRow & { altitude: number; hr: number | null } => {
  const step = Math.floor(ms / 100) % 10_000;
  return {
    timestamp: ms,
    latitude: (473_700_000 + step) / 1e7,
    longitude: (-85_500_000 - step) / 1e7,
    altitude: (408_000 + (step % 500)) / 1e3,
    speed: (step % 7_000) / 1e3,
    hr: step % 10 === 0 ? 100 + (step % 90) : null,
  };
};

/** Returns a row as the service sends it. */
export const sampleAt = (ms: number) => {
  const row = rowAt(ms);
  return {
    "gnss.altitude": row.altitude,
    "gnss.latitude": row.latitude,
    "gnss.longitude": row.longitude,
    "gnss.speed": row.speed,
    "gnss.timestamp": ms,
    "ecg.hr": row.hr,
  };
};

export async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer());
}

export function recordingOf(
  serial: string,
  rows: Iterable<EncodableRow>,
  { firmwareVersion = "1.0.0", periodMs = 100 }: RecordingOptions = {},
): Promise<Uint8Array> {
  return bytesOf(
    encode(rows, { serial, deviceName: "tracker", deviceType: "T1", firmwareVersion, periodMs }),
  );
}

/** Returns `count` times from `start`. */
export const timesFrom = (start: string, count: number, periodMs = 100): number[] =>
  Array.from({ length: count }, (_, i) => Date.parse(start) + i * periodMs);

/** Creates a recording of the walk. */
export const walk = (serial: string, start: string, count: number, options: RecordingOptions = {}) =>
  recordingOf(serial, timesFrom(start, count, options.periodMs).map(rowAt), options);
