import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { FORMATS } from "../src/formats/catalogue.js";
import { type ConvertOptions, convert, decodeSync, findRanges, type Row, rowsOf } from "../src/index.js";
import { convertToFile } from "../src/node.js";
import { asi, Fixture, namesIn, scratchFolder } from "./asi-process.js";
import { ENGINES } from "./every-engine.js";
import { examples } from "./long-form.js";
import { recordings } from "./recordings.js";
import { rowIn, rowsInFile } from "./rows-in-file.js";
import { expectSame } from "./same.js";
import { wholeBytes } from "./whole.js";

// Tests every format with every option that selects rows, with readers that are independent of this library.

const RUN = new Fixture("valid/run-fix-loss");
const run = new Uint8Array(readFileSync(RUN.path));
const rowsOfRun = [...rowsOf(decodeSync(run).samples)];
const middleMs = rowsOfRun[Math.floor(rowsOfRun.length / 2)]?.timestamp ?? 0;

type Selection = Omit<ConvertOptions, "format">;

const SELECTIONS: Readonly<Record<string, Selection>> = {
  "no option": {},
  "a heart rate repeated for 5 s": { fillHrMs: 5000 },
  "a heart rate on its own row only": { fillHrMs: 0 },
  "an end and a beginning": { from: middleMs - 60_000, to: middleMs + 60_000 },
  "a row for each second": { everyMs: 1000 },
  "a row for each 2.5 s of one minute, without repeated heart rates": {
    everyMs: 2500,
    fillHrMs: 0,
    from: middleMs,
    to: middleMs + 60_000,
  },
};

const CASES = FORMATS.flatMap((format) =>
  Object.entries(SELECTIONS).map(([name, selection]) => [format.name, name, selection] as const),
);

/** The selected rows, from columns. */
function selected(bytes: Uint8Array, format: (typeof FORMATS)[number], selection: Selection): Row[] {
  const { fillHrMs = selection.everyMs === undefined ? format.fillHrMs : 2000 } = selection;
  const { samples } = decodeSync(bytes, { ...selection, fillHrMs });
  return [...rowsOf(samples)].map((row) => rowIn(format.name, row));
}

const formatNamed = (name: string) =>
  FORMATS.find((format) => format.name === name) as (typeof FORMATS)[number];

describe("a file holds the selected rows", () => {
  it.for(CASES)("%s: %s", async ([name, , selection]) => {
    const format = formatNamed(name);
    const expected = selected(run, format, selection);
    expect(expected.length).toBeGreaterThan(20);
    const file = await wholeBytes(convert(run, { ...selection, format: name }).body);
    expectSame(await rowsInFile(name, file), expected, name);
  });

  it.for(CASES)("%s, with a file for each range: %s", async ([name, , selection]) => {
    const format = formatNamed(name);
    const folder = mkdtempSync(join(tmpdir(), "asi-formats-"));
    try {
      const { files } = await convertToFile(run, { ...selection, format: name, split: true, outDir: folder });
      const found: Row[][] = [];
      for (const { path } of files) found.push(await rowsInFile(name, readFileSync(path)));
      expectSame(found.flat(), selected(run, format, selection), name);
      // ranges are those of the recording, even if few of its rows are written
      const sizes = findRanges(found.flat().map(({ timestamp }) => timestamp)).map(({ size }) => size);
      expect(found.map(({ length }) => length)).toEqual(sizes);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.for(FORMATS.map(({ name }) => name))("%s, for random recordings", async (name) => {
    const format = formatNamed(name);
    const selections = fc.record(
      {
        fillHrMs: fc.constantFrom(0, 500, 3000, Number.POSITIVE_INFINITY),
        everyMs: fc.constantFrom(1, 1000, 1300, 400_000),
        from: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_010_000 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        recordings,
        selections,
        fc.constantFrom(...ENGINES),
        async (bytes, selection, engine) => {
          const expected = selected(bytes, format, selection);
          fc.pre(expected.length > 0);
          const file = await wholeBytes(convert(bytes, { ...selection, format: name, engine }).body);
          expectSame(await rowsInFile(name, file), expected, name);
        },
      ),
      { numRuns: examples(60) },
    );
  });
});

describe("Parquet with decimals", () => {
  it("stores exactly the same values in less space", async () => {
    const doubles = await wholeBytes(convert(run, { format: "parquet" }).body);
    const decimals = await wholeBytes(convert(run, { format: "parquet", numbers: "decimal" }).body);
    expect(await rowsInFile("parquet", decimals)).toEqual(await rowsInFile("parquet", doubles));
    expect(decimals.length).toBeLessThan(doubles.length / 2);
  });

  it("is an option of Parquet only, with two values", () => {
    const attempts: [ConvertOptions, RegExp][] = [
      [{ format: "gpx", numbers: "decimal" }, /numbers applies only to Parquet; omit it with the format gpx/],
      [{ numbers: "double" }, /numbers applies only to Parquet; omit it with the format csv/],
      [
        { format: "parquet", numbers: "float" as "double" },
        /numbers is "float"; it must be double or decimal/,
      ],
    ];
    for (const [options, message] of attempts) expect(() => convert(run, options)).toThrow(message);
  });
});

describe("asi convert has a flag for each", () => {
  test.for(FORMATS.map(({ name }) => name))("%s", async (name) => {
    const folder = scratchFolder();
    const path = join(folder, "in.asi");
    copyFileSync(RUN.path, path);
    const from = new Date(middleMs - 120_000).toISOString();
    const to = new Date(middleMs + 120_000).toISOString();
    const numbers = name === "parquet" ? ["--numbers", "decimal"] : [];
    const { status, stdout } = await asi([
      ...["convert", path, "--format", name, "--split", "--every", "2s", "--fill-hr", "3s"],
      ...["--from", from, "--to", to, ...numbers, "--json"],
    ]);
    expect(status).toBe(0);
    const { files, rowsProduced } = JSON.parse(stdout) as { files: { path: string }[]; rowsProduced: number };
    expect(files.length).toBe(namesIn(folder).length - 1);
    const found: Row[] = [];
    for (const file of files) found.push(...(await rowsInFile(name, readFileSync(file.path))));
    const selection = { everyMs: 2000, fillHrMs: 3000, from: middleMs - 120_000, to: middleMs + 120_000 };
    expect(found).toEqual(selected(run, formatNamed(name), selection));
    expect(rowsProduced).toBe(found.length);
  });
});
