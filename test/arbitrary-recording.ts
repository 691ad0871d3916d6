import fc from "fast-check";
import {
  ascii,
  asiInf,
  civilTime,
  ecgHr,
  ecgRaw,
  joined,
  type NavPvtFields,
  navPvt,
  ubxFrame,
} from "./frames.js";

/** Times are drawn from a few seconds after this, so that readings, rows and ranges interact. */
const EPOCH_MS = 1_700_000_000_000;

const timeMs = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: EPOCH_MS, max: EPOCH_MS + 5_000 }) },
  // Ages and gaps at their limits.
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(0, 1, 999, 1000, 1001, 299_999, 300_000, 300_001, 600_001)
      .map((ms) => EPOCH_MS + ms),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 253_402_300_799_999 }) },
);

/** A value in one of five cases, otherwise no value. */
function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

const int32 = fc.oneof(
  fc.constantFrom(0, 1, -1, 9, -10, 999, -999, 1000, -1000, 2 ** 31 - 1, -(2 ** 31)),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
);

const nano = fc.oneof(
  fc.constantFrom(0, -1, 499_999, 500_000, -500_000, -500_001, 999_499_999, 999_500_000, -999_999_999),
  int32,
);

const latitudeE7 = fc.oneof(
  { weight: 24, arbitrary: fc.integer({ min: -900_000_000, max: 900_000_000 }) },
  { weight: 8, arbitrary: fc.constantFrom(0, -1, 9_999_999, -10_000_000, 900_000_000, -900_000_000) },
  { weight: 1, arbitrary: fc.constantFrom(900_000_001, -900_000_001, 2 ** 31 - 1, -(2 ** 31)) },
);

const longitudeE7 = fc.oneof(
  { weight: 24, arbitrary: fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }) },
  { weight: 8, arbitrary: fc.constantFrom(0, -1, 9_999_999, -10_000_000, 1_800_000_000, -1_800_000_000) },
  { weight: 1, arbitrary: fc.constantFrom(1_800_000_001, -1_800_000_001, 2 ** 31 - 1, -(2 ** 31)) },
);

/** Usually an existing time, otherwise fields at and beyond their limits. */
const dateAndTime: fc.Arbitrary<NavPvtFields> = fc.oneof(
  { weight: 6, arbitrary: timeMs.map(civilTime) },
  {
    weight: 1,
    arbitrary: fc.record({
      year: fc.constantFrom(0, 1, 4, 99, 100, 400, 1900, 1969, 1970, 2000, 2023, 2024, 9999, 10_000, 65_535),
      month: fc.constantFrom(0, 1, 2, 3, 4, 12, 13, 255),
      day: fc.constantFrom(0, 1, 28, 29, 30, 31, 32, 255),
      hour: fc.constantFrom(0, 23, 24, 255),
      minute: fc.constantFrom(0, 59, 60, 255),
      second: fc.constantFrom(0, 59, 60, 255),
      nano,
    }),
  },
);

const goodFix: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    dateAndTime,
    fc.record({
      fixType: fc.constantFrom(2, 3, 3, 3, 4),
      latitudeE7,
      longitudeE7,
      altitudeMm: int32,
      speedMmPerS: int32,
      satellites: fc.integer({ min: 0, max: 255 }),
      speedAccuracyMmPerS: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      pdopHundredths: fc.integer({ min: 0, max: 65_535 }),
    }),
    seldom(nano),
  )
  .map(([time, fix, ns]) => navPvt({ ...time, ...fix, ...(ns === undefined ? {} : { nano: ns }) }));

const anyFix: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    dateAndTime,
    fc.record({
      valid: fc.integer({ min: 0, max: 255 }),
      flags: fc.integer({ min: 0, max: 255 }),
      fixType: fc.integer({ min: 0, max: 6 }),
      latitudeE7,
      longitudeE7,
      payloadBytes: fc.constantFrom(0, 83, 84, 91, 92, 100),
    }),
  )
  .map(([time, fix]) => navPvt({ ...time, ...fix }));

const heartRate: fc.Arbitrary<Uint8Array> = fc
  .record({
    timeMs: fc.oneof(
      { weight: 8, arbitrary: timeMs.map(BigInt) },
      { weight: 1, arbitrary: fc.constantFrom(0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n) },
      { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) },
    ),
    beatsPerMinute: fc.oneof(fc.constantFrom(0, 1, 9, 10, 99, 100, 255), fc.integer({ min: 0, max: 255 })),
    rrIntervals: fc.array(fc.integer({ min: 0, max: 65_535 }), { maxLength: 4 }),
    claimedCount: seldom(fc.constantFrom(0, 1, 255)),
  })
  .map(({ claimedCount, ...fields }) =>
    ecgHr(claimedCount === undefined ? fields : { ...fields, claimedCount }),
  );

/** Numbers of readings around the maximum that can wait. */
const crowd: fc.Arbitrary<Uint8Array> = fc
  .array(heartRate, { minLength: 14, maxLength: 20 })
  .map((frames) => joined(frames));

const waveform: fc.Arbitrary<Uint8Array> = fc
  .record({
    samples: fc.array(fc.integer({ min: -32_768, max: 32_767 }), { maxLength: 30 }),
    claimedCount: seldom(fc.integer({ min: 0, max: 65_535 })),
  })
  .map(({ samples, claimedCount }) =>
    ecgRaw(claimedCount === undefined ? { samples } : { samples, claimedCount }),
  );

const header: fc.Arbitrary<Uint8Array> = fc
  .record({ serial: fc.constantFrom("TEST-1", "TEST-2"), payloadBytes: fc.constantFrom(64, 64, 64, 63, 0) })
  .map(asiInf);

/** Any class and id, so that known ones occur too; lengths up to the limit. */
const anyFrame: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(0x0107, 0xa500, 0xa501, 0xa502, 0x0135, 0xa503),
      fc.integer({ min: 0, max: 0xffff }),
    ),
    fc.oneof(
      { weight: 20, arbitrary: fc.uint8Array({ maxLength: 120 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(8191, 8192).map((length) => new Uint8Array(length).fill(0xb5)),
      },
    ),
  )
  .map(([classId, payload]) => ubxFrame(classId, payload));

const validFrame = fc.oneof(
  { weight: 12, arbitrary: goodFix },
  { weight: 3, arbitrary: anyFix },
  { weight: 8, arbitrary: heartRate },
  { weight: 1, arbitrary: crowd },
  { weight: 2, arbitrary: waveform },
  { weight: 1, arbitrary: header },
  { weight: 3, arbitrary: anyFrame },
);

/** A frame that ends too early; the following bytes are inside the claimed span. */
const tornFrame: fc.Arbitrary<Uint8Array> = fc
  .tuple(validFrame, fc.nat())
  .map(([frame, cut]) => frame.subarray(0, cut % frame.length));

/** A frame with one changed byte: checksum, length or sync are invalid. */
const brokenFrame: fc.Arbitrary<Uint8Array> = fc
  .tuple(validFrame, fc.nat(), fc.integer({ min: 1, max: 255 }))
  .map(([frame, position, change]) => {
    const broken = frame.slice();
    const at = position % broken.length;
    broken[at] = (broken[at] ?? 0) ^ change;
    return broken;
  });

const falseStart: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.oneof(fc.constantFrom(0, 1, 84, 92, 8191, 8192, 8193, 65_535), fc.integer({ min: 0, max: 65_535 })),
    fc.integer({ min: 1, max: 6 }),
  )
  .map(([length, bytes]) =>
    Uint8Array.of(0xb5, 0x62, 0x01, 0x07, length & 0xff, length >> 8).subarray(0, bytes),
  );

const garbage = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  // Incomplete syncs.
  fc.array(fc.constantFrom(0xb5, 0x62, 0x00), { maxLength: 40 }).map((bytes) => Uint8Array.from(bytes)),
);

const nmea = fc
  .constantFrom(
    "$GNGGA,092725.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,*5B\r\n",
    "$GPTXT,\r\n",
  )
  .map(ascii);

const piece = fc.oneof(
  { weight: 14, arbitrary: validFrame },
  { weight: 1, arbitrary: tornFrame },
  { weight: 1, arbitrary: brokenFrame },
  { weight: 1, arbitrary: falseStart },
  { weight: 1, arbitrary: garbage },
  { weight: 1, arbitrary: nmea },
);

/**
 * The bytes of a random recording. It contains mostly valid frames of every type, with values at their limits, and
 * between them torn and broken frames, false starts, garbage and NMEA. Most recordings begin with a header.
 */
export const arbitraryRecording: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.option(fc.constant(asiInf()), { freq: 5 }), fc.array(piece, { maxLength: 60, size: "max" }))
  .map(([first, rest]) => joined([...(first ? [first] : []), ...rest]));
