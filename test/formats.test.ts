import { gpx, kml, tcx } from "@tmcw/togeojson";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  AsiError,
  type ConvertOptions,
  convert,
  convertSync,
  decodeSync,
  type FormatName,
  findRanges,
  type Row,
  rowsOf,
} from "../src/index.js";
import { pieces } from "./drive.js";
import { ENGINES } from "./every-engine.js";
import { fixture, formatFile } from "./fixture-files.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { examples } from "./long-form.js";
import { recordings } from "./recordings.js";
import { document, rangesInXml } from "./rows-in-file.js";
import { asiError, thrown, wholeText } from "./whole.js";

const FORMATS: readonly FormatName[] = ["gpx", "tcx", "geojson", "geojsonl", "jsonl", "kml"];

const edges = fixture("valid/edges");

const written = (bytes: Uint8Array | Iterable<Uint8Array>, options: ConvertOptions) =>
  wholeText(convert(bytes, options).body);

describe.for(FORMATS)("%s", (format) => {
  it("equals the stored file beside the recording byte by byte, with every engine", async () => {
    for (const engine of ENGINES) {
      expect(await written(edges.bytes, { format, engine }), engine).toBe(formatFile(edges, format));
    }
  });

  it("is the same for any division of the input", async () => {
    for (const size of [1, 97, 100, 1000]) {
      expect(await written(pieces(edges.bytes, size), { format })).toBe(formatFile(edges, format));
    }
  });

  it("has a separate extension and media type", async () => {
    const conversion = convert(edges.bytes, { format });
    await wholeText(conversion.body);
    expect(await conversion.fileName).toBe(`EDGE-1_20250517T143000_20250518T000000.${format}`);
    expect(conversion.mediaType).toMatch(/^application\//);
  });

  it("writes no bytes for a recording without rows", async () => {
    const { body, fileName } = convert(asiInf(), { format });
    expect((await asiError(wholeText(body))).code).toBe("NO_SAMPLES");
    expect((await asiError(fileName)).code).toBe("NO_SAMPLES");
  });

  it("contains exactly the rows of the recording, for any values", async () => {
    await fc.assert(
      fc.asyncProperty(recordings, fc.constantFrom(...ENGINES), async (bytes, engine) => {
        const fillHrMs = ["gpx", "tcx"].includes(format) ? 2000 : 0;
        const rows = [...rowsOf(decodeSync(bytes, { fillHrMs }).samples)];
        const text = await written(bytes, { format, engine });
        expect(READERS[format]?.(text)).toEqual(EXPECTED[format]?.(rows));
      }),
      { numRuns: examples(60) },
    );
  });

  it("can be limited in time", async () => {
    const from = (decodeSync(edges.bytes).samples.timestampMs.at(-2) ?? 0) - 1;
    const rows = [...rowsOf(decodeSync(edges.bytes, { from }).samples)];
    expect(rows).toHaveLength(2);
    expect(READERS[format]?.(await written(edges.bytes, { format, from }))).toEqual(EXPECTED[format]?.(rows));
  });
});

describe("formats", () => {
  it("repeat a heart rate for the time that the caller specifies", async () => {
    expect(await written(edges.bytes, { format: "gpx", fillHrMs: 0 })).toMatch(
      /-0.0000001[^\n]*Extension><gpxtpx:speed>/,
    );
    expect(await written(edges.bytes, { format: "jsonl", fillHrMs: 500 })).toContain('"speed":0.000,"hr":1}');
  });

  it("contain the device in XML, for any serial number", async () => {
    const text = await written(edges.bytes, { format: "gpx", serial: "A.b-c_1" });
    expect(text).toContain("<name>A.b-c_1</name>");
  });

  it("begin with the header from the caller for a plain log", async () => {
    const log = joined([navPvt(civilTime(1000)), asiInf({ serial: "OTHER" }), navPvt(civilTime(2000))]);
    expect(await written(log, { format: "kml", serial: "GIVEN-1" })).toContain("<name>GIVEN-1</name>");
  });

  it("are refused if unknown, or with a layout that only CSV has", () => {
    const options = { format: "xlsx" as FormatName };
    const error = thrown(() => convert(edges.bytes, options));
    expect(error).toBeInstanceOf(AsiError);
    expect(error).toMatchObject({
      code: "BAD_OPTION",
      message: expect.stringMatching(/format "xlsx" is unknown; use one of csv, parquet, gpx/),
    });
    for (const layout of [
      { columns: ["hr"] },
      { delimiter: ";" },
      { decimalMark: "," },
      { header: true },
      { lineEnd: "\n" },
    ] as const) {
      expect(() => convert(edges.bytes, { format: "gpx", ...layout } as ConvertOptions)).toThrow(
        /applies only to CSV; omit it/,
      );
    }
    const fromJavaScript = { format: "gpx" } as Parameters<typeof convertSync>[1];
    expect(() => convertSync(edges.bytes, fromJavaScript)).toThrow(/convertSync writes CSV only/);
  });

  // a KML track has at most 16,384 rows; buffers of the others have 1,300
  it.for(FORMATS)("contain all rows in order if they are longer than any buffer: %s", async (format) => {
    const length = format === "kml" ? 17_000 : 3_000;
    const rows = Array.from({ length }, (_, i) =>
      navPvt(civilTime(1e12 + i * 100 + (i < 2_900 ? 0 : 400_000))),
    );
    const bytes = joined([asiInf(), ...rows]);
    const expected = [...rowsOf(decodeSync(bytes).samples)];
    const text = await written(bytes, { format });
    expect(READERS[format]?.(text)).toEqual(EXPECTED[format]?.(expected));
  });

  it.for(FORMATS)("contain all rows in order if each row is a range: %s", async (format) => {
    const rows = Array.from({ length: 500 }, (_, i) => navPvt(civilTime(1e12 + i * 400_000)));
    const bytes = joined([asiInf(), ...rows]);
    const expected = [...rowsOf(decodeSync(bytes).samples)];
    expect(READERS[format]?.(await written(bytes, { format }))).toEqual(EXPECTED[format]?.(expected));
  });

  it("end where damage stops the reading, with the error of the recording", async () => {
    const damaged = joined([
      asiInf(),
      navPvt(civilTime(1000)),
      navPvt(civilTime(2000)).map((byte, i) => (i === 50 ? byte ^ 1 : byte)),
    ]);
    for (const format of FORMATS) {
      const { body } = convert(damaged, { format, strict: true });
      expect((await asiError(wholeText(body))).code).toBe("DAMAGED");
    }
  });
});

// --- the content according to an independent reader, and the expected content ---

type Found = unknown;

const below180 = (longitude: number) => (longitude === 180 ? -180 : longitude);
const iso = (ms: number) => new Date(ms).toISOString();
const objects = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Found);

function byRange(rows: readonly Row[]): Row[][] {
  let next = 0;
  return findRanges(rows.map(({ timestamp }) => timestamp)).map(({ size }) => {
    next += size;
    return rows.slice(next - size, next);
  });
}

// The result of togeojson for each segment or lap: positions, times and heart rates.
interface Tracks {
  features: {
    geometry: { type: string; coordinates: unknown };
    properties: { coordinateProperties?: Record<string, unknown> };
  }[];
}

const READERS: Partial<Record<FormatName, (text: string) => Found>> = {
  jsonl: objects,
  geojsonl: objects,
  geojson: (text) => JSON.parse(text) as Found,
  gpx: rangesInXml.gpx,
  tcx: rangesInXml.tcx,
  kml: rangesInXml.kml,
};

const EXPECTED: Partial<Record<FormatName, (rows: readonly Row[]) => Found>> = {
  jsonl: (rows) => rows.map((row) => ({ ...row, timestamp: iso(row.timestamp) })),
  geojsonl: (rows) =>
    rows.map(({ timestamp, latitude, longitude, ...others }) => ({
      type: "Feature",
      geometry: { type: "Point", coordinates: [longitude, latitude] },
      properties: { time: iso(timestamp), ...others },
    })),
  geojson: (rows) => ({
    type: "FeatureCollection",
    features: byRange(rows).map((range) => {
      const positions = range.map(({ latitude, longitude }) => [longitude, latitude]);
      return {
        type: "Feature",
        geometry:
          range.length === 1
            ? { type: "Point", coordinates: positions[0] }
            : { type: "LineString", coordinates: positions },
        properties: {
          coordinateProperties: {
            times: range.map(({ timestamp }) => iso(timestamp)),
            altitudes: range.map(({ altitude }) => altitude),
            speeds: range.map(({ speed }) => speed),
            heartRates: range.map(({ hr }) => hr),
          },
        },
      };
    }),
  }),
  gpx: (rows) => byRange(rows.map((row) => ({ ...row, longitude: below180(row.longitude) }))),
  tcx: (rows) => byRange(rows.map((row) => ({ ...row, longitude: below180(row.longitude) }))),
  kml: (rows) => byRange(rows),
};

describe("togeojson, which many maps use, reads", () => {
  const rows = [...rowsOf(decodeSync(edges.bytes).samples)];
  const [first = []] = byRange(rows);

  it.for([
    ["gpx", gpx],
    ["tcx", tcx],
    ["kml", kml],
  ] as const)("the positions and times of %s", async ([format, read]) => {
    const text = await written(edges.bytes, { format });
    const { features } = read(document(text) as never) as unknown as Tracks;
    const found = JSON.stringify(features);
    for (const { timestamp, latitude } of first) {
      expect(found).toContain(iso(timestamp));
      expect(found).toContain(`${latitude}`);
    }
  });
});
