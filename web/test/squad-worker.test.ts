import type { SampleBatch } from "asi-convert";
import { expect, it } from "vitest";
import { extentOf } from "../src/recording/squad/read-squad-file.js";
import { squadHandlers } from "../src/recording/squad/squad-handlers.js";

const HOUR_MS = 3_600_000;

/** Rows at 10 Hz from an instant, at 5 m/s to the north. */
function samples(startMs: number, seconds: number): SampleBatch {
  const length = 10 * seconds;
  const column = () => new Int32Array(length);
  return {
    length,
    timestampMs: new Float64Array(length).map((_, i) => startMs + 100 * i),
    latitudeE7: column().map((_, i) => 470_000_000 + 45 * i),
    longitudeE7: column(),
    altitudeMm: column(),
    speedMmPerS: column().fill(5000),
    hr: new Uint8Array(length),
  } as unknown as SampleBatch;
}

const hooks = { signal: new AbortController().signal, onProgress() {} };

/** Returns the distance in the first minute after an instant, m. */
async function metresAfter(startMs: number, shiftMs: number): Promise<number> {
  const intervals = [{ startMs, endMs: startMs + 60_000 }];
  const member = { recordings: [{ id: 1, shiftMs }], name: "Ada", player: null, intervals };
  const options = { optionalFigures: [], preset: "soccer" as const };
  const asked = { members: [member], options };
  const [figures] = await squadHandlers.memberFigures(asked, hooks);
  return figures?.metrics?.total_distance ?? 0;
}

it("figures have the correction of the clock that the page asks for, in any order", async () => {
  const startMs = Date.UTC(2026, 4, 16, 12);
  await squadHandlers.adopt(
    { id: 1, samples: samples(startMs, 120), shiftMs: 0, file: new File([], "a.asi") },
    hooks,
  );
  const later = startMs + HOUR_MS;
  expect(await metresAfter(startMs, 0)).toBeCloseTo(300, -1);
  expect(await metresAfter(later, HOUR_MS)).toBeCloseTo(300, -1);
  expect(await metresAfter(later, HOUR_MS)).toBeCloseTo(300, -1);
  expect(await metresAfter(startMs, 0)).toBeCloseTo(300, -1);
  expect(await metresAfter(later, 0)).toBe(0);
});

it("the time of a recording excludes rows of another day, as in the command", () => {
  const startMs = Date.UTC(2026, 4, 16, 12);
  const rows = samples(startMs, 120);
  rows.timestampMs[0] = Date.UTC(2026, 4, 10);
  expect(extentOf(rows)).toMatchObject({ startMs: startMs + 100, endMs: startMs + 119_900 });
});
