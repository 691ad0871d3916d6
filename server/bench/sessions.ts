/** Samples stored by the benchmark: training sessions like those of a tracker, encoded and decoded. */
import { decode, type EncodableRow, encode } from "asi-convert";
import { concatColumns, FIX_2D, type SampleColumns, sliceColumns } from "../src/store/samples/index.js";
import { recordSession, SESSION_PERIOD_MS } from "../src/store/samples/testing/session.js";

export { SESSION_PERIOD_MS };

/** Two hours at 10 Hz; 7.5 MB as a recording. */
export const SESSION_SAMPLES = 72_000;
export const DAY_MS = 86_400_000;
/** Time of day at which a session starts. */
export const FIRST_SESSION_MS = Date.UTC(2024, 5, 1, 10);

/** Number of different sessions. Later days repeat them, because generating noise is slow. */
const DISTINCT_SESSIONS = 8;

/** Samples of the device that records without a break: one every 2 s for 14 days. */
const RESTLESS_DAYS = 14;
const RESTLESS_PERIOD_MS = 2000;
export const RESTLESS_SAMPLES = (RESTLESS_DAYS * DAY_MS) / RESTLESS_PERIOD_MS;

/** Number of rows in a batch of the decoder. */
const BATCH_SAMPLES = 2_500;

/** Generates the rows of the session with a seed. */
function* rowsOf(session: SampleColumns): Generator<EncodableRow> {
  for (let i = 0; i < session.length; i++) yield rowAt(session, i);
}

/** Returns a sample in the units of the API. */
export function rowAt(columns: SampleColumns, i: number) {
  return {
    timestamp: columns.timestampMs[i] ?? Number.NaN,
    latitude: (columns.latitudeE7[i] ?? Number.NaN) / 1e7,
    longitude: (columns.longitudeE7[i] ?? Number.NaN) / 1e7,
    altitude: columns.fixType[i] === FIX_2D ? null : (columns.altitudeMm[i] ?? Number.NaN) / 1e3,
    speed: (columns.speedMmPerS[i] ?? Number.NaN) / 1e3,
    hr: columns.hr[i] || null,
  };
}

/** Yields a recording of `samples` samples in pieces. */
export const recordingOf = (samples: number): ReadableStream<Uint8Array> =>
  encode(rowsOf(recordSession(FIRST_SESSION_MS, samples, 0)), HEADER);

/** Yields the recording of the session of a day. */
export async function recordingOfDay(serial: string, day: number): Promise<ReadableStream<Uint8Array>> {
  return encode(rowsOf(await sessionOfDay(day)), { ...HEADER, serial });
}

const HEADER = {
  serial: "BENCH",
  deviceName: "bench",
  deviceType: "T",
  firmwareVersion: "1.0.0",
  periodMs: 100,
};

const distinct: Promise<SampleColumns>[] = [];

/** Returns the session of a day, decoded from its recording. */
export async function sessionOfDay(day: number): Promise<SampleColumns> {
  const seed = day % DISTINCT_SESSIONS;
  distinct[seed] ??= decodedSession(seed);
  const session = await distinct[seed];
  const laterMs = (day - seed) * DAY_MS;
  return { ...session, timestampMs: session.timestampMs.map((ms) => ms + laterMs) };
}

async function decodedSession(seed: number): Promise<SampleColumns> {
  const recorded = recordSession(FIRST_SESSION_MS + seed * DAY_MS, SESSION_SAMPLES, seed);
  const recording = encode(rowsOf(recorded), HEADER);
  const batches: SampleColumns[] = [];
  // The next batch overwrites this one.
  for await (const batch of decode(recording)) batches.push(concatColumns([batch]));
  return concatColumns(batches);
}

/**
 * Yields the samples of the device that records without a break, day by day; all days are equal.
 */
export function restlessDays(): SampleColumns[] {
  const oneDay = recordSession(FIRST_SESSION_MS, DAY_MS / RESTLESS_PERIOD_MS, 0);
  return Array.from({ length: RESTLESS_DAYS }, (_, day) => {
    const startMs = FIRST_SESSION_MS + day * DAY_MS;
    return { ...oneDay, timestampMs: oneDay.timestampMs.map((_, i) => startMs + i * RESTLESS_PERIOD_MS) };
  });
}

/** Yields a session in batches like those of the decoder. */
export function* inBatches(session: SampleColumns): Generator<SampleColumns> {
  for (let from = 0; from < session.length; from += BATCH_SAMPLES)
    yield sliceColumns(session, from, Math.min(session.length, from + BATCH_SAMPLES));
}
