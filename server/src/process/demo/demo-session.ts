import { type EncodableRow, encode } from "asi-convert";

/** Start and length of the demo recording: 20 minutes at 10 Hz. */
export const DEMO_START = new Date("2024-05-04T09:00:00.000Z");
const SAMPLES = 12_000;
const PERIOD_MS = 100;

/** A circular track of 400 m. */
const CENTRE = { latitude: 46.5197, longitude: 6.6323 };
const RADIUS_M = 400 / (2 * Math.PI);
const METRES_PER_DEGREE = 111_320;

/** Generates laps on a track. The speed varies between a walk and a fast run, and the heart rate follows the speed. */
function* laps(pace: number, startMs: number): Generator<EncodableRow> {
  let distanceM = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const seconds = (i * PERIOD_MS) / 1000;
    const speed = pace * (3.2 + 1.8 * Math.sin(seconds / 60));
    distanceM += (speed * PERIOD_MS) / 1000;
    const angle = distanceM / RADIUS_M;
    yield {
      timestamp: startMs + i * PERIOD_MS,
      latitude: CENTRE.latitude + (RADIUS_M * Math.sin(angle)) / METRES_PER_DEGREE,
      longitude:
        CENTRE.longitude +
        (RADIUS_M * Math.cos(angle)) / (METRES_PER_DEGREE * Math.cos((CENTRE.latitude * Math.PI) / 180)),
      altitude: 372 + 0.2 * Math.sin(angle),
      speed,
      hr: i % 10 === 0 ? Math.round(125 + 35 * Math.sin((seconds - 20) / 60)) : null,
    };
  }
}

/**
 * Creates a recording of a session by a device.
 * @param pace 1 for a runner, less for a slower one
 * @param start start time of the session
 */
export async function demoRecording(serial: string, pace: number, start = DEMO_START): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const recording = encode(laps(pace, start.getTime()), {
    serial,
    deviceName: "demo",
    deviceType: "Demo",
    firmwareVersion: "1.0.0",
  });
  for await (const piece of recording) pieces.push(piece);
  return Buffer.concat(pieces);
}
