import { decodeSync, encode } from "asi-convert";
import { computeMetrics } from "asi-convert/metrics";
import { describe, expect, it } from "vitest";
import { columnsIn } from "../src/plots/columns.js";
import { inTimeOrder, prepare } from "../src/recording/prepare.js";
import { readFile } from "../src/recording/read-file.js";
import { nearestIndex } from "../src/view/instants.js";

/** Returns rows at a steady speed, with alternating steps of 200 and 300 ms, and one step of `gapMs` in the middle. */
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
    // a gap adds no distance
    const metres = computeMetrics(decodeSync(bytes).samples).total_distance ?? 0;
    const isCovered = Math.abs(metres - ((recording.stopMs - recording.startMs) / 1000) * 3) < 0.5;
    expect(hasGap).toBe(!isCovered);
  },
);

it("rows in ascending order of time keep their quality", () => {
  const column = Int32Array.of(0, 0, 0);
  const rows = {
    length: 3,
    timestampMs: Float64Array.of(2000, 1000, 3000),
    latitudeE7: column,
    longitudeE7: column,
    altitudeMm: column,
    speedMmPerS: Int32Array.of(20, 10, 30),
    hr: new Uint8Array(3),
    fixType: Uint8Array.of(3, 3, 3),
    quality: {
      satellites: Uint8Array.of(8, 4, 12),
      speedAccuracyMmPerS: Uint32Array.of(200, 100, 70_000),
      pdopHundredths: Uint16Array.of(250, 150, 9999),
    },
  };
  const { rows: ordered, isReordered } = inTimeOrder([rows]);
  expect([isReordered, [...ordered.speedMmPerS]]).toEqual([true, [10, 20, 30]]);
  expect(ordered.quality).toEqual({
    satellites: Uint8Array.of(4, 8, 12),
    speedAccuracyMmPerS: Uint32Array.of(100, 200, 70_000),
    pdopHundredths: Uint16Array.of(150, 250, 9999),
  });
});

describe("a recording of ten rows a second, an outage of 3 s, and then a row every 5 s", () => {
  const startMs = Date.UTC(2025, 4, 17);
  const seconds = [
    ...Array.from({ length: 300 }, (_, i) => i / 10),
    ...Array.from({ length: 300 }, (_, i) => 33 + i / 10),
    ...Array.from({ length: 40 }, (_, i) => 65 + 5 * i),
  ];
  const rows = seconds.map((s) => ({
    timestamp: startMs + s * 1000,
    latitude: 47,
    longitude: 8,
    altitude: 400,
    speed: 3,
    hr: null,
  }));

  it("has a line in each part and none over the outage, in plots, on the map and under the cursor, like the figures", async () => {
    const bytes = new Uint8Array(
      await new Response(encode(rows, { serial: "A1" }) as BodyInit).arrayBuffer(),
    );
    const { batches, facts } = await readFile(new File([bytes], "parts.asi"), {
      serial: null,
      onProgress: () => {},
    });
    const { recording } = prepare(1, batches, facts);
    const { speed, altitude } = recording.channels;
    if (speed === undefined || altitude === undefined) throw new Error("no plot");
    const outage = [...recording.track.gapsAfter];
    expect(outage).toEqual([299]);
    for (const { series } of [speed, altitude]) expect([...series.gapsAfter]).toEqual(outage);
    const whole = { startMs: recording.startMs, stopMs: recording.stopMs };
    const { timesMs, mean } = columnsIn(speed, whole, 10_000);
    expect(mean.flatMap((value, i) => (value === null ? [(timesMs[i] ?? 0) - startMs] : []))).toEqual([
      31_450,
    ]);
    const metres = computeMetrics(decodeSync(bytes).samples).total_distance ?? 0;
    expect(metres).toBeCloseTo(3 * ((whole.stopMs - whole.startMs) / 1000 - 3.1), 1);
    const at = (second: number) => nearestIndex(speed.series, startMs + second * 1000);
    expect([at(31.5), at(102.4), at(30.5), at(-2)]).toEqual([null, 607, 299, null]);
  });
});
