import { decodeSync, encode } from "asi-convert";
import { computeMetrics } from "asi-convert/metrics";
import { expect, it } from "vitest";
import { columnsIn } from "../src/plots/columns.js";
import { prepare } from "../src/recording/prepare.js";
import { readFile } from "../src/recording/read-file.js";

/** Rows at a steady speed, with alternating steps of 200 and 300 ms, and one step of `gapMs` in the middle. */
async function recordingWith(gapMs: number): Promise<Uint8Array<ArrayBuffer>> {
  let timestamp = Date.UTC(2025, 4, 17);
  const rows = Array.from({ length: 101 }, (_, i) => {
    if (i > 0) timestamp += i === 51 ? gapMs : i % 2 === 0 ? 200 : 300;
    return { timestamp, latitude: 47, longitude: 8, altitude: 400, speed: 3, hr: null };
  });
  return new Uint8Array(await new Response(encode(rows, { serial: "A1" }) as BodyInit).arrayBuffer());
}

it.for([1250, 1300, 1400])(
  "the line of a plot ends where the figures do, at a gap of %d ms",
  async (gapMs) => {
    const bytes = await recordingWith(gapMs);
    const file = new File([bytes], "gap.asi");
    const { batches, facts } = await readFile(file, { serial: null, onProgress: () => {} });
    const { recording } = prepare(1, batches, facts);
    const whole = { startMs: recording.startMs, stopMs: recording.stopMs };
    const { speed } = recording.channels;
    const hasGap = speed === undefined ? null : columnsIn(speed, whole, 1000).mean.includes(null);
    // no distance is covered during a gap
    const metres = computeMetrics(decodeSync(bytes).samples).total_distance ?? 0;
    const isCovered = Math.abs(metres - ((recording.stopMs - recording.startMs) / 1000) * 3) < 0.5;
    expect(hasGap).toBe(!isCovered);
  },
);
