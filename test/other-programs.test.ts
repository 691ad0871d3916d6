import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { convert, decodeSync, type FormatName, type Row, rowsOf } from "../src/index.js";
import { fixture } from "./fixture-files.js";
import { rangesInXml, rowIn } from "./rows-in-file.js";
import { wholeBytes } from "./whole.js";

// Tests the library's files with other programs, if they are installed. Installation on Debian: apt-get
// install gpsbabel gdal-bin libxml2-utils python3-gpxpy The schemas are in the package pytrainer; ASI_SCHEMAS names
// the folder if it was only unpacked.

const SCHEMAS = process.env.ASI_SCHEMAS ?? "/usr/share/pytrainer/schemas";
// Debian's python, which has Debian's gpxpy
const PYTHON = "/usr/bin/python3";

const isThere = {
  gpsbabel: runs("gpsbabel", ["-V"]),
  ogr2ogr: runs("ogr2ogr", ["--version"]),
  xmllint: runs("xmllint", ["--version"]) && existsSync(join(SCHEMAS, "Topografix_gpx11.xsd")),
  gpxpy: runs(PYTHON, ["-c", "import gpxpy"]),
};
for (const [program, isInstalled] of Object.entries(isThere)) {
  if (!isInstalled)
    console.warn(`skipped: ${program} is not installed${program === "xmllint" ? ", or its schemas" : ""}`);
}

let folder: string;
// Not created if all tests are skipped, because nothing would remove it.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "asi-programs-"));
  return () => rmSync(folder, { recursive: true });
});

const names = ["valid/edges", "valid/run-fix-loss"] as const;

async function fileOf(name: string, format: FormatName): Promise<string> {
  const path = join(folder, `${name.replace("/", "-")}.${format}`);
  writeFileSync(path, await wholeBytes(convert(fixture(name).bytes, { format }).body));
  return path;
}

function rowsWritten(name: string, format: FormatName): Row[] {
  const fillHrMs = ["gpx", "tcx", "fit"].includes(format) ? 2000 : 0;
  const { samples } = decodeSync(fixture(name).bytes, { fillHrMs });
  return [...rowsOf(samples)].map((row) => rowIn(format, row));
}

describe.skipIf(!isThere.gpsbabel)("gpsbabel reads", () => {
  const READERS = { gpx: "gpx", tcx: "gtrnctr", fit: "garmin_fit", kml: "kml" } as const;

  it.for(
    names.flatMap((name) => (["gpx", "tcx", "fit", "kml"] as const).map((format) => [format, name] as const)),
  )("the %s of %s", async ([format, name]) => {
    const args = ["-t", "-i", READERS[format], "-f", await fileOf(name, format)];
    const gpx = output("gpsbabel", [...args, "-o", "gpx,garminextensions", "-F", "-"]);
    const found = rangesInXml.gpx(gpx).flat();
    expect(found.map(({ speed: _, ...row }) => rounded(row))).toEqual(
      rowsWritten(name, format).map(({ speed: _, timestamp, hr, ...row }) =>
        rounded({
          ...row,
          // it does not read developer fields of FIT, or heart rates of KML
          timestamp: format === "fit" ? Math.floor(timestamp / 1000) * 1000 : timestamp,
          hr: format === "kml" ? null : hr,
        }),
      ),
    );
  });
});

// semicircles of FIT, which gpsbabel prints with nine decimals
function rounded(row: Omit<Row, "speed">) {
  return { ...row, latitude: row.latitude.toFixed(7), longitude: row.longitude.toFixed(7) };
}

describe.skipIf(!isThere.xmllint)("the schema of the format accepts", () => {
  it.for([
    ["gpx", "Topografix_gpx11"],
    ["tcx", "GarminTrainingCenterDatabase_v2"],
  ] as const)("%s", async ([format, schema]) => {
    for (const name of names) {
      const args = ["--nonet", "--noout", "--schema", join(SCHEMAS, `${schema}.xsd`)];
      const { status, stderr } = spawnSync("xmllint", [...args, await fileOf(name, format)]);
      expect(stderr.toString()).toMatch(/validates\n$/);
      expect(status).toBe(0);
    }
  });
});

describe.skipIf(!isThere.gpxpy)("gpxpy reads", () => {
  const SCRIPT = `
import gpxpy, json, sys
def extension(point, name):
    for element in point.extensions:
        for value in element.iter():
            if value.tag.endswith("}" + name): return float(value.text)
gpx = gpxpy.parse(open(sys.argv[1]))
print(json.dumps([[[p.time.isoformat(timespec="milliseconds"), p.latitude, p.longitude, p.elevation, extension(p, "speed"), extension(p, "hr")]
  for p in s.points] for t in gpx.tracks for s in t.segments]))`;

  it.for(names)("every value of the GPX file of %s, by segment", async (name) => {
    const printed = output(PYTHON, ["-c", SCRIPT, await fileOf(name, "gpx")]);
    const segments = JSON.parse(printed) as [
      string,
      number,
      number,
      number | null,
      number,
      number | null,
    ][][];
    const found = segments.flat().map(([time, latitude, longitude, altitude, speed, hr]) => ({
      timestamp: Date.parse(time),
      latitude,
      longitude,
      altitude,
      speed,
      hr,
    }));
    expect(found).toEqual(rowsWritten(name, "gpx"));
    expect(segments.length).toBe(fixture(name).expectation.report?.ranges.length);
  });
});

describe.skipIf(!isThere.ogr2ogr)("GDAL reads", () => {
  interface Feature {
    geometry: { type: string; coordinates: unknown };
    properties: { time: string; ele?: number };
  }
  const features = (path: string, ...layer: string[]) =>
    output("ogr2ogr", ["-f", "GeoJSONSeq", "/vsistdout/", path, ...layer, "-lco", "COORDINATE_PRECISION=7"])
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Feature);
  // GDAL rounds 179.9999999 to 180 when it prints
  const place = ([longitude = Number.NaN, latitude = Number.NaN]: readonly number[]) =>
    `${longitude.toFixed(6)} ${latitude.toFixed(6)}`;
  const positions = (rows: readonly Row[]) =>
    rows.map(({ longitude, latitude }) => place([longitude, latitude]));

  it.for(names)("positions and altitudes of the GPX of %s", async (name) => {
    const points = features(await fileOf(name, "gpx"), "track_points");
    const rows = rowsWritten(name, "gpx");
    expect(points.map(({ geometry }) => place(geometry.coordinates as number[]))).toEqual(positions(rows));
    expect(points.map(({ properties }) => properties.ele ?? null)).toEqual(
      rows.map(({ altitude }) => altitude),
    );
  });

  it.for(names)("the lines of the GeoJSON of %s", async (name) => {
    const lines = features(await fileOf(name, "geojson"));
    const found = lines.flatMap(({ geometry: { type, coordinates } }) =>
      (type === "Point" ? [coordinates] : (coordinates as unknown[])).map((at) => place(at as number[])),
    );
    expect(found).toEqual(positions(rowsWritten(name, "geojson")));
    expect(lines.length).toBe(fixture(name).expectation.report?.ranges.length);
  });

  it.for(names)("the tracks of the KML of %s", async (name) => {
    const tracks = features(await fileOf(name, "kml"));
    const found =
      JSON.stringify(tracks.map(({ geometry }) => geometry.coordinates)).match(/\[-?\d[^[\]]*\]/g) ?? [];
    expect(found.map((text) => place(JSON.parse(text) as number[]))).toEqual(
      positions(rowsWritten(name, "kml")),
    );
  });
});

function runs(program: string, args: readonly string[]): boolean {
  const { error, status } = spawnSync(program, args);
  return error === undefined && status === 0;
}

function output(program: string, args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(program, args, { maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  return stdout.toString();
}
