import { expect, it } from "vitest";
import { AsiError } from "../src/index.js";
import { inLongForm } from "./long-form.js";
import { mutate, seededRandom } from "./mutations.js";
import { batchOf } from "./sample-batches.js";
import { ownFit, readTrack, sealed } from "./track-files.js";

const MUTATIONS = inLongForm(50_000, 3_000);
const START_MS = Date.UTC(2024, 4, 11, 9, 30);

const rows = Array.from({ length: 12 }, (_, i) => ({
  timestampMs: START_MS + 250 * i,
  latitudeE7: 469_629_000 + 40 * i,
  longitudeE7: 74_648_000 - 30 * i,
  altitudeMm: 551_200,
  speedMmPerS: 2000 + i,
  hr: i === 4 ? 120 : 0,
  fixType: i === 6 ? 2 : 3,
}));

const points = rows.map(({ timestampMs }, i) => {
  const time = new Date(timestampMs).toISOString();
  return {
    gpx: `<trkpt lat="46.96290${i}" lon="7.46${i}"><ele>551.2</ele><time>${time}</time><extensions><g:hr>9${i}</g:hr></extensions></trkpt>`,
    tcx: `<Trackpoint><Time>${time}</Time><Position><LatitudeDegrees>46.9${i}</LatitudeDegrees><LongitudeDegrees>7.4</LongitudeDegrees></Position></Trackpoint>`,
  };
});
const text = new TextEncoder();
const tracks = {
  fit: ownFit(batchOf(rows)),
  gpx: text.encode(
    `<?xml version="1.0"?><gpx><trk><trkseg>${points.map(({ gpx }) => gpx).join("\n")}</trkseg></trk></gpx>`,
  ),
  tcx: text.encode(
    `<TrainingCenterDatabase><Activities><Activity><Lap><Track>${points.map(({ tcx }) => tcx).join("\n")}</Track></Lap></Activity></Activities></TrainingCenterDatabase>`,
  ),
};

it(`${MUTATIONS} damaged tracks yield rows, or a library error with its position`, async () => {
  const outcomes = { rows: 0, errors: 0 };
  for (let seed = 0; seed < MUTATIONS; seed++) {
    const format = (["fit", "gpx", "tcx"] as const)[seed % 3] ?? "fit";
    const mutated = mutate(tracks[format], seed);
    // with a valid checksum, more of the file is read
    const bytes = format === "fit" && seededRandom(seed)(3) > 0 ? sealed(mutated) : mutated;
    try {
      const { samples, summary } = await readTrack(bytes);
      expect(summary.rows, `seed ${seed}`).toBe(samples.length);
      outcomes.rows += 1;
    } catch (error) {
      const isTold =
        error instanceof AsiError &&
        error.code === "BAD_TRACK" &&
        (error.byteOffset !== undefined || error.line !== undefined);
      if (!isTold) throw new Error(`seed ${seed}`, { cause: error });
      outcomes.errors += 1;
    }
  }
  expect(outcomes.errors).toBeGreaterThan(MUTATIONS / 2);
  expect(outcomes.rows).toBeGreaterThan(MUTATIONS / 100);
});
