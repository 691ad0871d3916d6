/** Recordings of the devices. The generator creates them from the seed and can therefore check every response. */
import { createHash } from "node:crypto";
import { encode } from "asi-convert";
import type { SampleColumns } from "../src/store/samples/index.js";
import { recordSession, SESSION_PERIOD_MS } from "../src/store/samples/testing/session.js";

/** Half a match: 45 minutes at 10 Hz. */
export const MATCH_SAMPLES = 27_000;
export const MATCH_MS = MATCH_SAMPLES * SESSION_PERIOD_MS;

/** Samples of a half; several devices record the same samples at different times. */
export interface Session {
  /** Times relative to the start, ms. */
  columns: SampleColumns;
  /** Distance, metres. */
  distance: number;
  hrMax: number;
  hrMin: number;
}

/** A half recorded by a device. */
export interface Match {
  startMs: number;
  session: Session;
}

export const stopMsOf = ({ startMs }: Match) => startMs + MATCH_MS - SESSION_PERIOD_MS;

export function newSession(seed: number): Session {
  const columns = recordSession(0, MATCH_SAMPLES, seed);
  const hr = columns.hr.filter((bpm) => bpm > 0);
  return {
    columns,
    distance: distanceOf(columns.speedMmPerS),
    hrMax: Math.max(...hr),
    hrMin: Math.min(...hr),
  };
}

const STANDSTILL_MM_PER_S = 200;

/** Returns the distance in metres as docs/metrics.md defines it: the sum over intervals of speeds, each the median of three. */
function distanceOf(speeds: Int32Array): number {
  const middle = (i: number) => {
    const around = [speeds[i - 1], speeds[i], speeds[i + 1]];
    const [, median = 0] = around.map((speed) => speed ?? speeds[i] ?? 0).sort((a, b) => a - b);
    return median;
  };
  // Sums of two speeds in mm/s; half of a sum times the interval in ms is a distance in micrometres.
  let sums = 0;
  for (let i = 1; i < speeds.length; i++) {
    const sum = middle(i - 1) + middle(i);
    if (sum >= 2 * STANDSTILL_MM_PER_S) sums += sum;
  }
  return Math.floor((sums * SESSION_PERIOD_MS) / 2000 + 0.5) / 1000;
}

/** Returns a sample as the API shows it. */
export function sampleOf({ startMs, session: { columns } }: Match, i: number) {
  const { latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr } = columns;
  return {
    "gnss.altitude": (altitudeMm[i] ?? Number.NaN) / 1e3,
    "gnss.latitude": (latitudeE7[i] ?? Number.NaN) / 1e7,
    "gnss.longitude": (longitudeE7[i] ?? Number.NaN) / 1e7,
    "gnss.speed": (speedMmPerS[i] ?? Number.NaN) / 1e3,
    "gnss.timestamp": startMs + i * SESSION_PERIOD_MS,
    "ecg.hr": hr[i] || null,
  };
}

export type Sample = ReturnType<typeof sampleOf>;

function* rowsOf(match: Match) {
  for (let i = 0; i < MATCH_SAMPLES; i++) {
    const sample = sampleOf(match, i);
    yield {
      timestamp: sample["gnss.timestamp"],
      latitude: sample["gnss.latitude"],
      longitude: sample["gnss.longitude"],
      altitude: sample["gnss.altitude"],
      speed: sample["gnss.speed"],
      hr: sample["ecg.hr"],
    };
  }
}

/** Encodes the recording of a device in pieces of a few milliseconds. */
export async function recordingOf(serial: string, match: Match): Promise<Uint8Array<ArrayBuffer>> {
  const header = {
    serial,
    deviceName: serial,
    deviceType: "T1",
    firmwareVersion: "1.0.0",
    periodMs: SESSION_PERIOD_MS,
  };
  const stream = encode(rowsOf(match), header) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const compact = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+Z$/g, "");

/** Returns the name and the SHA-256 of the expected CSV of a recording, computed from the samples. */
export function expectedCsv(serial: string, match: Match): { fileName: string; sha256: string } {
  const hash = createHash("sha256").update("timestamp,latitude,longitude,altitude,speed,hr\n");
  for (const { timestamp, latitude, longitude, altitude, speed, hr } of rowsOf(match)) {
    const numbers = [
      (timestamp / 1000).toFixed(3),
      latitude.toFixed(7),
      longitude.toFixed(7),
      altitude.toFixed(3),
      speed.toFixed(3),
    ];
    hash.update(`${numbers.join()},${hr ?? ""}\n`);
  }
  const fileName = `${serial}_${compact(match.startMs)}_${compact(stopMsOf(match))}.csv`;
  return { fileName, sha256: hash.digest("hex") };
}
