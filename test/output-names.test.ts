import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inputNameOf, OutputNames } from "../src/files/output-names.js";
import { convertFile, convertToFile } from "../src/node.js";
import { asi, MATCH, namesIn, scratchFolder, shell, textOf } from "./asi-process.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";

const start = Date.parse("2025-05-17T22:30:05.900Z");
const end = Date.parse("2025-05-17T23:59:59.100Z");
const one = { serial: "AS-1", start, end };

const nameOf = (name: string, nameTimeZone?: string) =>
  new OutputNames({ name, nameTimeZone }).of([one], "Anna M", ".csv")[0];

describe("the name of a file", () => {
  test.each([
    ["{serial}_{start}_{end}", "AS-1_20250517T223005_20250517T235959.csv"],
    ["{input}_{serial}_{start}", "Anna M_AS-1_20250517T223005.csv"],
    ["{date} {time}", "2025-05-17 22-30-05.csv"],
    ["{index}", "1.csv"],
    ["{input}{input}", "Anna MAnna M.csv"],
    ["match 3.final", "match 3.final.csv"],
    // the extension is not added twice
    ["{input}.csv", "Anna M.csv"],
    ["{input}.CSV", "Anna M.csv"],
  ])("is created from the pattern %s", (pattern, expected) => {
    expect(nameOf(pattern)).toBe(expected);
  });

  test("contains times in the given zone", () => {
    expect(nameOf("{date}_{time}_{start}_{end}", "Europe/Zurich")).toBe(
      "2025-05-18_00-30-05_20250518T003005_20250518T015959.csv",
    );
  });

  test("is never a device name on Windows", () => {
    expect(new OutputNames({ name: "{input}" }).of([one], "NUL", ".csv")).toEqual(["NUL_.csv"]);
    expect(new OutputNames({ name: "{input}" }).of([one], "com1.old", ".csv")).toEqual(["com1_.old.csv"]);
    expect(nameOf("aux.{date}")).toBe("aux_.2025-05-17.csv");
    expect(nameOf("nullify")).toBe("nullify.csv");
  });

  test("differs from those of other ranges, even on file systems that ignore case", () => {
    const names = (pattern: string, serials: string[]) =>
      new OutputNames({ name: pattern }).of(
        serials.map((serial) => ({ ...one, serial })),
        "x",
        ".gpx",
      );
    expect(names("{serial}", ["a", "A", "a_2", "a"])).toEqual(["a.gpx", "A_2.gpx", "a_2_2.gpx", "a_3.gpx"]);
    expect(
      names(
        "{index}",
        Array.from({ length: 11 }, () => "a"),
      ).slice(8),
    ).toEqual(["09.gpx", "10.gpx", "11.gpx"]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "A", "a_2", "a_2_2", "b"), { maxLength: 12 }), (serials) => {
        const lower = names("{serial}", serials).map((name) => name.toLowerCase());
        expect(new Set(lower).size).toBe(serials.length);
      }),
    );
  });

  test("stays in its folder, for any pattern", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "{input}",
        "{serial}",
        "{start}",
        "{end}",
        "{date}",
        "{time}",
        "{index}",
        "..",
        "/",
        "\\",
        "CON",
        ".",
      ),
      fc.string({ maxLength: 3, unit: "grapheme" }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        let name: string | undefined;
        try {
          name = nameOf(pieces.join(""));
        } catch (error) {
          expect(error).toMatchObject({ code: "BAD_OPTION" });
          return;
        }
        expect(name).toMatch(/\.csv$/);
        expect(basename(name ?? "")).toBe(name);
        expect(name).not.toMatch(/[<>:"/\\|?*]/);
        expect(name).not.toMatch(/^(con|nul|aux|prn)(\.|$)/i);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["match.asi", "match"],
    ["match.asi.gz", "match"],
    ["A. Müller.2.asi", "A. Müller.2"],
    [".asi", ".asi"],
    ["match", "match"],
    ["x.ubx.GZ", "x"],
  ])("has the name of the input without its extension: %s", (fileName, expected) => {
    expect(inputNameOf(fileName)).toBe(expected);
  });
});

describe("a file name that is invalid on some system is refused before anything is read", () => {
  test.each([
    ["{foo}", /unknown field "\{foo\}"; use \{input\}, \{serial\}/],
    ["{}", /unknown field "\{\}"/],
    ["{Input}", /unknown field/],
    ["{input", /brace that is not part of a field/],
    ["a}b", /brace/],
    ["../{input}", /a file name, not a path/],
    ["a\\b", /a file name, not a path/],
    ["10:30", /":", which is not allowed in file names on Windows/],
    ["a\nb", /Windows/],
    ["", /must be a text/],
    [" ", /must be a text/],
  ])("%j", async (name, message) => {
    const expected = { code: "BAD_OPTION", message: expect.stringMatching(message) };
    await expect(convertFile("missing.asi", { name })).rejects.toMatchObject(expected);
    const { status, stderr } = await asi(["convert", "missing.asi", "--name", name]);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  test("including an explicit name, and an unknown zone", async () => {
    await expect(convertFile("missing.asi", { name: "x", output: "y.csv" })).rejects.toThrow(
      /omit one of them/,
    );
    await expect(convertFile("missing.asi", { nameTimeZone: "Mars" })).rejects.toThrow(/"Mars" is unknown/);
    const { status, stderr } = await asi(["convert", "missing.asi", "--name", "x", "-o", "y.csv"]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/either -o or --name/)]);
  });
});

describe("asi convert --name", () => {
  test("keeps the names of the players", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "players"));
    for (const name of ["Anna Müller.asi", "Bea.asi"]) MATCH.copyTo(join(folder, "players"), name);
    for (const args of [[], ["--jobs", "2", "--force"]]) {
      const { status } = await asi(
        [
          "convert",
          "players",
          "--name",
          "{input}_{serial}_{start}",
          "--tz",
          "Europe/Zurich",
          "-d",
          "csv",
          ...args,
        ],
        { cwd: folder },
      );
      expect(status).toBe(0);
      const names = ["Anna Müller_AS-10017_20250315T153000.csv", "Bea_AS-10017_20250315T153000.csv"];
      expect(namesIn(join(folder, "csv"))).toEqual(names);
      for (const name of names) expect(textOf(join(folder, "csv"), name)).toBe(MATCH.csv);
    }
  });

  test("has times of day, works for pipes, and has the extension of the format", async () => {
    const folder = scratchFolder();
    MATCH.copyTo(folder, "Anna.asi");
    await asi(["convert", "Anna.asi", "--name", "{input}_{time}", "--from", "14:43"], { cwd: folder });
    await shell("cat Anna.asi | $ASI convert - --name '{input}_{date}' --format gpx", folder);
    expect(namesIn(folder)).toEqual(["Anna.asi", "Anna_14-43-00.csv", "standard-input_2025-03-15.gpx"]);
  });

  test("never assigns one name to two recordings; the first recording gets it", async () => {
    const folder = scratchFolder();
    for (const name of ["a.asi", "b.asi"]) MATCH.copyTo(folder, name);
    const { status, stderr } = await asi(["convert", "a.asi", "b.asi", "--name", "{date}", "--force"], {
      cwd: folder,
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/b\.asi: 2025-03-15\.csv is the output of a\.asi in the same call/);
    expect(namesIn(folder)).toEqual(["2025-03-15.csv", "a.asi", "b.asi"]);
  });
});

describe("a split into more than 100 files", () => {
  const ranges = (count: number) =>
    joined([asiInf(), ...Array.from({ length: count }, (_, i) => navPvt(civilTime(i * 1_000_000)))]);

  test("needs --force, and leaves no file without it", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "100.asi"), ranges(100));
    writeFileSync(join(folder, "101.asi"), ranges(101));
    const refused = await asi(["convert", "101.asi", "--split", "-d", "out"], { cwd: folder });
    expect(refused.status).toBe(1);
    expect(refused.stderr).toBe(
      "asi: 101.asi: The recording has more than 100 ranges, and --split would write a file for each; omit it, or add --force. (TOO_MANY_FILES)\n",
    );
    expect(namesIn(join(folder, "out"))).toEqual([]);
    const allowed = await asi(["convert", "100.asi", "--split", "-d", "out"], { cwd: folder });
    expect(allowed.status).toBe(0);
    expect(namesIn(join(folder, "out"))).toHaveLength(100);
    const forced = await asi(
      ["convert", "101.asi", "--split", "--force", "--name", "{index}", "-d", "more"],
      {
        cwd: folder,
      },
    );
    expect(forced.status).toBe(0);
    expect(namesIn(join(folder, "more")).slice(0, 2)).toEqual(["001.csv", "002.csv"]);
    expect(namesIn(join(folder, "more"))).toHaveLength(101);
  });

  test("is allowed by the library unless maxFiles says otherwise", async () => {
    const folder = scratchFolder();
    const { files } = await convertToFile(ranges(101), {
      split: true,
      outDir: folder,
      name: "{input}-{index}",
    });
    expect(basename(files[100]?.path ?? "")).toBe("recording-101.csv");
    const limited = convertToFile(ranges(3), { split: true, outDir: join(folder, "x"), maxFiles: 2 });
    await expect(limited).rejects.toMatchObject({ code: "TOO_MANY_FILES" });
    await expect(convertToFile(ranges(1), { maxFiles: 0 })).rejects.toMatchObject({ code: "BAD_OPTION" });
  });
});
