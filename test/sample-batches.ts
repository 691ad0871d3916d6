import fc from "fast-check";
import type { Sample } from "./oracle/sample.js";

export { type Sample, toColumns as batchOf } from "./oracle/sample.js";

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
// the years 0 to 9999
const instant = fc.oneof(
  fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
  fc.integer({ min: -3_000, max: 3_000 }),
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_003_000 }),
);
/** Any sample that a recording can contain. */
export const anySample = fc.record({
  timestampMs: instant,
  latitudeE7: fc.oneof(
    int32,
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: 99_999_990, max: 100_000_010 }),
  ),
  longitudeE7: int32,
  altitudeMm: fc.oneof(int32, fc.integer({ min: -1001, max: 1001 })),
  speedMmPerS: int32,
  hr: fc.integer({ min: 0, max: 255 }),
  fixType: fc.constantFrom(2, 3, 4),
});
/**
 * Up to 60 samples of a moving device: steps of milliseconds, sometimes a gap near the 300 s that end a range, or a
 * step back; values at their limits.
 */
export function trackOf({ from, to }: { from: number; to: number }): fc.Arbitrary<Sample[]> {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 1500 }) },
    { weight: 1, arbitrary: fc.constantFrom(299_999, 300_000, 300_001, 600_000, -1, -300_001) },
  );
  const moving = fc.record({
    step,
    latitudeE7: fc.oneof(
      fc.integer({ min: -900_000_000, max: 900_000_000 }),
      fc.constantFrom(-900_000_000, 0, 900_000_000),
    ),
    // 180 degrees east is written as west by some formats
    longitudeE7: fc.oneof(
      fc.integer({ min: -1_800_000_000, max: 1_799_999_990 }),
      fc.constantFrom(-1_800_000_000, 0, 1_799_999_990),
    ),
    altitudeMm: fc.oneof(fc.integer({ min: -600_000, max: 9_000_000 }), int32),
    speedMmPerS: fc.oneof(fc.integer({ min: 0, max: 12_000 }), fc.constantFrom(0, 2 ** 31 - 1)),
    hr: fc.oneof(fc.constant(0), fc.constantFrom(1, 254, 255), fc.integer({ min: 0, max: 255 })),
    fixType: fc.constantFrom(2, 3, 4),
  });
  return fc
    .tuple(fc.integer({ min: from, max: to }), fc.array(moving, { maxLength: 60 }))
    .map(([start, rows]) => {
      let timestampMs = start;
      return rows.map(({ step: ms, ...row }) => {
        timestampMs = Math.min(to, Math.max(from, timestampMs + ms));
        return { timestampMs, ...row };
      });
    });
}
