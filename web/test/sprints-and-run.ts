import { decodeSync, encode } from "asi-convert";

const START_MS = Date.UTC(2025, 4, 17, 14, 30);
/** Maximum acceleration in m/s2 and maximum speed in m/s of the sprints. */
const A0 = 7;
const S0 = 9.2;

/** Speeds every 0.1 s: ten sprints of 7 s with a rest after each, then a run of 5 min at 3.5 m/s, and a rest. */
function speeds(): number[] {
  const all: number[] = [];
  for (let sprint = 0; sprint < 10; sprint++) {
    // sprints that start between two samples have points in all classes of speed
    for (let i = 0; i < 70; i++) all.push(S0 * (1 - Math.exp((-(i / 10 + sprint / 100) * A0) / S0)));
    for (let i = 0; i < 150; i++) all.push(Math.max(0, S0 * (1 - i / 40)));
  }
  for (let i = 0; i < 30; i++) all.push((3.5 * i) / 30);
  for (let i = 0; i < 3000; i++) all.push(3.5);
  for (let i = 0; i < 50; i++) all.push(0);
  return all;
}

/** Returns a recording with an acceleration-speed profile and a standard run. */
export async function sprintsAndRun(name: string) {
  const rows = speeds().map((speed, i) => ({
    timestamp: START_MS + 100 * i,
    latitude: 47.37,
    longitude: 8.55,
    altitude: 400,
    speed,
    hr: i % 10 === 0 ? 150 : null,
  }));
  const stream = encode(rows, { serial: "T-1", deviceName: "Player 1", deviceType: "made up" });
  const buffer = Buffer.from(await new Response(stream as BodyInit).arrayBuffer());
  return { name, mimeType: "", buffer, samples: decodeSync(buffer).samples };
}
