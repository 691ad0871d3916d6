import fc from "fast-check";
import { asiInf, civilTime, ecgHr, joined, navPvt } from "./frames.js";

/** Rows in one or several ranges, some without altitude or heart rate, some at the limits of positions. */
export const recordings = fc
  .array(
    fc.record({
      stepMs: fc.oneof(fc.integer({ min: 1, max: 2_500 }), fc.constantFrom(300_000, 300_001, 90_000_000)),
      latitudeE7: fc.oneof(
        fc.integer({ min: -900_000_000, max: 900_000_000 }),
        fc.constantFrom(0, -1, 900_000_000),
      ),
      longitudeE7: fc.oneof(
        fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }),
        fc.constantFrom(1_800_000_000, -1_800_000_000, -1),
      ),
      altitudeMm: fc.integer({ min: -1_000_000, max: 9_000_000 }),
      speedMmPerS: fc.integer({ min: 0, max: 100_000 }),
      fixType: fc.constantFrom(2, 3),
      hr: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 255 })),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((rows) => {
    let ms = 1_700_000_000_000;
    const frames = [asiInf()];
    for (const { stepMs, hr, ...fix } of rows) {
      ms += stepMs;
      if (hr !== null) frames.push(ecgHr({ timeMs: ms, beatsPerMinute: hr }));
      frames.push(navPvt({ ...civilTime(ms), ...fix }));
    }
    return joined(frames);
  });
