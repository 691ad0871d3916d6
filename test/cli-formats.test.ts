import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asi, Fixture, MATCH, namesIn, scratchFolder, textOf } from "./asi-process.js";

const RUN = new Fixture("valid/run-fix-loss");
const FORMATS = ["gpx", "tcx", "geojson", "geojsonl", "jsonl", "kml"] as const;

const MARK_OF_A_ROW = {
  gpx: "<trkpt ",
  tcx: "<Trackpoint>",
  geojson: 'Z"',
  geojsonl: '"Point"',
  jsonl: '"timestamp"',
  kml: "<when>",
} as const;

describe("asi convert, with formats other than CSV", () => {
  test.for(FORMATS)("selects the format by the extension of -o, or by --format: %s", async (format) => {
    const folder = scratchFolder();
    const path = MATCH.copyTo(folder);
    const named = join(folder, `x.${format.toUpperCase()}`);
    const { status, stderr } = await asi(["convert", path, "-o", named]);
    expect(stderr).toBe(`${path}: 7200 rows -> ${named}\n`);
    expect(status).toBe(0);
    const { stdout } = await asi(["convert", path, "--format", format, "--json"]);
    const proper = MATCH.expected.fileName.replace(/csv$/, format);
    expect(JSON.parse(stdout)).toMatchObject({ fileName: proper, files: [{ path: join(folder, proper) }] });
    expect(readFileSync(join(folder, proper), "utf8")).toBe(readFileSync(named, "utf8"));
    expect(namesIn(folder)).toEqual([proper, "match.asi", `x.${format.toUpperCase()}`].sort());
  });

  test.for([
    ["fit", ".FIT", 8],
    ["parquet", "PAR1", 0],
  ] as const)(
    "writes a binary format as one file, and as one file per range: %s",
    async ([format, mark, at]) => {
      const folder = scratchFolder();
      expect((await asi(["convert", MATCH.path, "-o", join(folder, `x.${format}`)])).status).toBe(0);
      expect((await asi(["convert", RUN.path, "--format", format, "--split", "-d", folder])).status).toBe(0);
      expect(namesIn(folder)).toHaveLength(3);
      for (const name of namesIn(folder)) {
        const bytes = readFileSync(join(folder, name));
        expect(bytes.toString("latin1", at, at + 4)).toBe(mark);
        expect(bytes.length).toBeGreaterThan(5_000);
      }
    },
  );

  test("writes to the standard output", async () => {
    const { stdout } = await asi(["convert", MATCH.path, "--format", "jsonl", "-o", "-"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(7200);
    expect(JSON.parse(stdout.slice(0, stdout.indexOf("\n")))).toHaveProperty("latitude");
  });

  test.for(FORMATS)("writes one complete file per range: %s", async (format) => {
    const folder = scratchFolder();
    await asi(["convert", RUN.path, "--format", format, "--split", "-d", folder]);
    const csv = scratchFolder();
    await asi(["convert", RUN.path, "--split", "-d", csv]);
    expect(namesIn(folder)).toEqual(namesIn(csv).map((name) => name.replace(/csv$/, format)));
    expect(namesIn(folder).length).toBeGreaterThan(1);
    for (const name of namesIn(folder)) {
      const rows = textOf(csv, name.replace(new RegExp(`${format}$`), "csv")).split("\n").length - 2;
      const text = textOf(folder, name);
      expect(text.split(MARK_OF_A_ROW[format])).toHaveLength(rows + 1);
      expect(text).toMatch(
        { geojsonl: /\}\n$/, jsonl: /\}\n$/, geojson: /\]\}\n$/ }[format as string] ?? /<\/\w+>\n$/,
      );
    }
  });

  test("writes the same files in threads", async () => {
    const folder = scratchFolder();
    const args = ["convert", MATCH.path, RUN.path, "--format", "gpx", "--jobs", "2", "-d", folder];
    expect((await asi(args)).status).toBe(0);
    expect(namesIn(folder).every((name) => name.endsWith(".gpx"))).toBe(true);
  });

  test("writes a CSV with decimal commas", async () => {
    const { stdout } = await asi(["convert", MATCH.path, "--decimal", ",", "-o", "-"]);
    expect(stdout).toBe(MATCH.csv.replaceAll(",", ";").replaceAll(".", ","));
  });
});

describe("asi convert writes nothing and reports incorrect usage for", () => {
  const convert = (...args: string[]) => asi(["convert", MATCH.path, ...args]);

  test("an unknown extension", async () => {
    for (const name of ["x.xlsx", "x.json", "x.asi", "x.csv.gz", "x.txt"]) {
      const folder = scratchFolder();
      const { status, stderr } = await convert("-o", join(folder, name));
      expect(status).toBe(2);
      expect(stderr).toMatch(
        /belongs to no known format; use one of \.csv, .*\.kml, or select a format with --format/,
      );
      expect(namesIn(folder)).toEqual([]);
    }
  });

  test("a name whose extension contradicts --format", async () => {
    const folder = scratchFolder();
    for (const [format, name] of [
      ["tcx", "x.gpx"],
      ["csv", "x.FIT"],
      ["gpx", "x.tsv"],
      ["csv", "x.asi"],
      ["jsonl", "x.geojsonl"],
    ] as const) {
      const { status, stderr } = await convert("--format", format, "-o", join(folder, name));
      expect(stderr).toMatch(
        new RegExp(
          `The format is ${format}, but the extension of .*${name} belongs to another; omit --format`,
        ),
      );
      expect(status).toBe(2);
    }
    expect(namesIn(folder)).toEqual([]);
  });

  test("an unknown format, and a layout that the format does not support", async () => {
    const unknown = await convert("--format", "xlsx");
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toMatch(/format "xlsx" is unknown; use one of csv, parquet, gpx/);
    const foreign = await convert("--format", "gpx", "--delimiter", ";");
    expect(foreign.status).toBe(2);
    expect(foreign.stderr).toMatch(/^asi: --delimiter applies only to CSV/);
    for (const [flag, value] of [
      ["--columns", "speed"],
      ["--decimal", ","],
      ["--numbers", "decimal"],
    ] as const) {
      const { stderr } = await convert("--format", "gpx", flag, value);
      expect(stderr).toMatch(new RegExp(`^asi: ${flag} applies only to `));
    }
    const intervals = await convert("--format", "gpx", "--rr-intervals");
    expect(intervals.stderr).toMatch(/^asi: --rr-intervals applies only to FIT/);
    const split = await convert("--format", "fit", "--rr-intervals", "--split");
    expect(split.stderr).toMatch(/--rr-intervals cannot be combined with --split/);
  });
});

describe("asi convert -o", () => {
  test("uses --format if the extension of the file name is unknown", async () => {
    const folder = scratchFolder();
    await asi(["convert", MATCH.path, "-o", join(folder, "x.json"), "--format", "geojson"]);
    expect(JSON.parse(textOf(folder, "x.json"))).toHaveProperty("features");
    await asi(["convert", MATCH.path, "-o", join(folder, "rows")]);
    expect(textOf(folder, "rows")).toBe(MATCH.csv);
    await asi(["convert", MATCH.path, "-o", join(folder, "lines.NDJSON")]);
    expect(textOf(folder, "lines.NDJSON").split("\n")[0]).toMatch(/^\{"timestamp"/);
    await asi(["convert", MATCH.path, "-o", join(folder, "features.ndjson"), "--format", "GeoJSONL"]);
    expect(textOf(folder, "features.ndjson").split("\n")[0]).toMatch(/^\{"type":"Feature"/);
  });

  test("writes a CSV with tabs, or with the given delimiter, if the name ends in .tsv", async () => {
    const folder = scratchFolder();
    await asi(["convert", MATCH.path, "-o", join(folder, "rows.tsv")]);
    expect(textOf(folder, "rows.tsv")).toBe(MATCH.csv.replaceAll(",", "\t"));
    await asi(["convert", MATCH.path, "-o", join(folder, "other.tsv"), "--delimiter", ";"]);
    expect(textOf(folder, "other.tsv")).toBe(MATCH.csv.replaceAll(",", ";"));
  });
});

describe("asi encode and asi repair", () => {
  test.for(["x.gpx", "x.FIT", "x.csv", "x.ndjson"])(
    "refuse to write a recording under the name %s",
    async (name) => {
      const folder = scratchFolder();
      const attempts = [
        ["encode", "--demo", "-o", join(folder, name)],
        ["repair", MATCH.path, "-o", join(folder, name)],
      ];
      for (const args of attempts) {
        const { status, stderr } = await asi(args);
        expect(stderr).toMatch(/The output is a recording, and .* has the extension of \w+; use \.asi/);
        expect(status).toBe(2);
      }
      expect(namesIn(folder)).toEqual([]);
    },
  );
});
