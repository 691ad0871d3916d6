import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convert, decodeSync, type EncodableRow, encode, rowsOf, type SampleBatch } from "../src/index.js";
import { expectSame } from "./same.js";
import { batchOf, type Sample, trackOf } from "./sample-batches.js";
import { readTrack } from "./track-files.js";
import { wholeBytes } from "./whole.js";

/** A recording with these samples, and its rows. */
async function recordingOf(
  samples: readonly Sample[],
): Promise<{ recording: Uint8Array; rows: SampleBatch }> {
  const rows: EncodableRow[] = [...rowsOf(batchOf(samples))];
  const recording = await wholeBytes(encode(rows, { serial: "TRIP-1" }));
  return { recording, rows: decodeSync(recording).samples };
}

async function throughFile(recording: Uint8Array, format: "gpx" | "tcx" | "fit") {
  const file = await wholeBytes(convert(recording, { format, fillHrMs: 0 }).body);
  return readTrack(file);
}

// about 60 rows between the years 1999 and 2125, which all formats support
const anyTrack = trackOf({ from: Date.UTC(1999, 0), to: Date.UTC(2125, 0) }).filter(
  (rows) => rows.length > 0,
);

/** Points far apart, whose speeds happen to be 3.6 times their distances but are not in km/h. */
const leap: Sample[] = [
  {
    timestampMs: 915_148_800_000,
    latitudeE7: -863_758_275,
    longitudeE7: -1_800_000_000,
    altitudeMm: 0,
    speedMmPerS: 2 ** 31 - 1,
    hr: 1,
    fixType: 2,
  },
  {
    timestampMs: 915_148_801_201,
    latitudeE7: -900_000_000,
    longitudeE7: 0,
    altitudeMm: 0,
    speedMmPerS: 7655,
    hr: 1,
    fixType: 2,
  },
];

const extremes: Sample = {
  timestampMs: Date.UTC(2024, 4),
  latitudeE7: -900_000_000,
  longitudeE7: -1_800_000_000,
  altitudeMm: -(2 ** 31),
  speedMmPerS: 0,
  hr: 0,
  fixType: 3,
};

describe("a recording that is converted to a track and back has the same rows", () => {
  it.each(["gpx", "tcx"] as const)("to the last digit: %s", async (format) => {
    await fc.assert(
      fc.asyncProperty(anyTrack, async (samples) => {
        const { recording, rows } = await recordingOf(samples);
        const track = await throughFile(recording, format);
        // a missing altitude has no value, and the types of fixes with one are not distinguished
        const expected = batchOf(
          Array.from({ length: rows.length }, (_, i) => ({
            timestampMs: rows.timestampMs[i] as number,
            latitudeE7: rows.latitudeE7[i] as number,
            longitudeE7: rows.longitudeE7[i] as number,
            altitudeMm: rows.fixType[i] === 2 ? 0 : (rows.altitudeMm[i] as number),
            speedMmPerS: rows.speedMmPerS[i] as number,
            hr: rows.hr[i] as number,
            fixType: rows.fixType[i] === 2 ? 2 : 3,
          })),
        );
        expectSame(track.samples, expected, format);
        expect(track.summary).toMatchObject({
          format,
          rows: rows.length,
          speedsFromPositions: 0,
          speedUnit: "m/s",
        });
      }),
      { numRuns: 100, examples: [[[extremes]], [[{ ...extremes, altitudeMm: 2 ** 31 - 1 }]], [leap]] },
    );
  });

  it("fit: altitudes to 0.1 m, everything else to the last digit", async () => {
    await fc.assert(
      fc.asyncProperty(anyTrack, async (samples) => {
        const { recording, rows } = await recordingOf(samples);
        const { samples: track } = await throughFile(recording, "fit");
        for (const column of ["timestampMs", "latitudeE7", "longitudeE7", "speedMmPerS"] as const) {
          expectSame(track[column], rows[column], column);
        }
        expectSame(
          track.hr,
          rows.hr.map((bpm) => (bpm === 255 ? 0 : bpm)),
          "hr",
        );
      }),
      { numRuns: 100 },
    );
  });
});
