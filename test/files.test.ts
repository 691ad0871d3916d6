import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decodeRows, inspect } from "../src/index.js";
import { convertFile, convertToFile, inspectFile, readFileChunks, repairFile } from "../src/node.js";
import { pieces } from "./drive.js";
import { fixture } from "./fixture-files.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { expectSame } from "./same.js";
import { all, asiError, csvFields, rejection } from "./whole.js";

let folder: string;
let input: string;
const match = fixture("valid/match-hr");
const name = match.expectation.fileName ?? "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "asi-files-"));
  input = join(folder, "match.asi");
  copyFileSync(fileURLToPath(new URL("../fixtures/valid/match-hr.asi", import.meta.url)), input);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const contentOf = (path: string) => readFileSync(join(folder, path), "utf8");

describe("convertFile", () => {
  it("writes the CSV beside its recording, under its default name", async () => {
    const { files, report, fileName, info } = await convertFile(input);
    expect(files).toEqual([{ path: join(folder, name), bytes: Buffer.byteLength(match.csv ?? "") }]);
    expect(contentOf(name)).toBe(match.csv);
    expect(report).toEqual(match.expectation.report);
    expect(fileName).toBe(name);
    expect(info.serial).toBe(match.expectation.serial);
    expect(readdirSync(folder).sort()).toEqual([name, "match.asi"].sort());
  });

  it("writes the format that the extension of output selects, and refuses a contradicting format", async () => {
    const output = join(folder, "z.tcx");
    expect((await convertFile(input, { output })).files[0]?.path).toBe(output);
    expect(contentOf("z.tcx")).toMatch(/<TrainingCenterDatabase/);
    await convertFile(input, { output: join(folder, "z.jsonl"), format: "geojsonl" });
    expect(contentOf("z.jsonl")).toMatch(/^\{"type":"Feature"/);
    await convertFile(input, { output: join(folder, "z.tsv") });
    expect(contentOf("z.tsv")).toBe(match.csv?.replaceAll(",", "\t"));
    for (const [output, format] of [
      ["x.xlsx", undefined],
      ["x.gpx", "tcx"],
      ["x.asi", "csv"],
    ] as const) {
      const error = await asiError(convertFile(input, { output: join(folder, output), format }));
      expect(error.code, output).toBe("BAD_OPTION");
    }
    expect(readdirSync(folder).filter((name) => name.startsWith("x."))).toEqual([]);
  });

  it("overwrites nothing without force, and leaves no other files", async () => {
    writeFileSync(join(folder, name), "mine");
    const error = await asiError(convertFile(input));
    expect(error.code).toBe("FILE_EXISTS");
    expect(error.message).toContain(name);
    expect(error.message).toMatch(/force/);
    expect(contentOf(name)).toBe("mine");
    expect(readdirSync(folder)).toHaveLength(2);

    await convertFile(input, { force: true });
    expect(contentOf(name)).toBe(match.csv);
  });

  it("writes one CSV per range, each under the name of its rows", async () => {
    const { files, report } = await convertFile(input, { split: true, outDir: join(folder, "halves") });
    expect(files.map(({ bytes }) => bytes > 0)).toEqual([true, true]);
    expect(new Set(files.map(({ path }) => path)).size).toBe(2);
    const [head, ...lines] = (match.csv ?? "").split("\n");
    const halves = files.map(({ path }) => readFileSync(path, "utf8"));
    const [firstHalf = 0] = report.ranges.map(({ size }) => size);
    expect(halves[0]).toBe(`${[head, ...lines.slice(0, firstHalf)].join("\n")}\n`);
    expect(halves[1]).toBe([head, ...lines.slice(firstHalf)].join("\n"));
  });

  it("splits with any layout, limits and chunks", async () => {
    const { report } = await inspect(match.bytes);
    const [first, second] = report.ranges;
    const from = (first?.stop ?? 0) - 5000;
    const to = (second?.start ?? 0) + 5000;
    const { files } = await convertToFile(pieces(match.bytes, 777), {
      split: true,
      outDir: folder,
      columns: ["hr", "timestamp"],
      from,
      to,
    });
    const expected = (await all(decodeRows(match.bytes, { from, to }))).length;
    const rows = files.map(({ path }) => csvFields(readFileSync(path, "utf8")));
    expect(rows.map((lines) => lines.length)).toEqual([51, 51]);
    expect(rows.flat()).toHaveLength(expected);
  });

  it("leaves no file of a recording that is damaged in the middle", async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => navPvt(civilTime(i * 100)));
    writeFileSync(input, joined([asiInf(), ...rows, asiInf({ serial: "OTHER" })]));
    expect(await asiError(convertFile(input))).toMatchObject({
      code: "MIXED_DEVICES",
      byteOffset: 2_000_072,
    });
    expect(await asiError(convertFile(input, { split: true }))).toMatchObject({ code: "MIXED_DEVICES" });
    expect(readdirSync(folder)).toEqual(["match.asi"]);
  });

  it("leaves no file of a recording without rows, or after an abort", async () => {
    const control = new AbortController();
    const aborted = convertFile(input, { signal: control.signal, onProgress: () => control.abort() });
    expect(await asiError(aborted)).toMatchObject({ code: "ABORTED" });
    writeFileSync(input, asiInf());
    expect(await asiError(convertFile(input))).toMatchObject({ code: "NO_SAMPLES" });
    expect(readdirSync(folder)).toEqual(["match.asi"]);
  });

  it("never overwrites the recording itself, even with force", async () => {
    const named = join(folder, name);
    renameSync(input, named);
    symlinkSync(name, join(folder, "link.csv"));
    for (const options of [{}, { output: named }, { output: join(folder, "link.csv") }, { outDir: folder }]) {
      const error = await asiError(convertFile(named, { ...options, force: true }));
      expect(error).toMatchObject({
        code: "FILE_EXISTS",
        message: expect.stringMatching(/is an input, which/),
      });
    }
    expectSame(new Uint8Array(readFileSync(named)), match.bytes, "the recording");
    expect(readdirSync(folder).sort()).toEqual([name, "link.csv"]);
  });

  it("passes on system errors", async () => {
    expect(await rejection(convertFile(join(folder, "missing.asi")))).toMatchObject({ code: "ENOENT" });
    expect(await rejection(convertFile(folder))).toMatchObject({ code: "EISDIR" });
  });

  it("refuses the same name for several files", async () => {
    const options = { split: true, output: join(folder, "x.csv") };
    expect(await asiError(convertFile(input, options))).toMatchObject({ code: "BAD_OPTION" });
    expect(await asiError(convertToFile(match.bytes, options))).toMatchObject({ code: "BAD_OPTION" });
    expect(readdirSync(folder)).toEqual(["match.asi"]);
  });
});

describe("the other functions for files", () => {
  it("return the result of inspect for a file", async () => {
    expect(await inspectFile(input)).toEqual(await inspect(match.bytes));
  });

  it("write a repaired recording with the same rows", async () => {
    const torn = fixture("damaged/torn-frames");
    writeFileSync(input, torn.bytes);
    const output = join(folder, "clean.asi");
    const { report, file } = await repairFile(input, { output });
    expect(file.path).toBe(output);
    expect(report).toEqual(torn.expectation.report);
    const clean = decodeRows(readFileChunks(output), { strict: true });
    expect(await all(clean)).toEqual(await all(decodeRows(torn.bytes)));
  });

  it("never write a repaired recording into the recording itself, even with force", async () => {
    symlinkSync("match.asi", join(folder, "link.asi"));
    for (const output of [input, join(folder, "link.asi")]) {
      const error = await asiError(repairFile(input, { output, force: true }));
      expect(error).toMatchObject({ code: "FILE_EXISTS" });
    }
    expectSame(new Uint8Array(readFileSync(input)), match.bytes, "the recording");
  });

  it("report their progress to the last byte", async () => {
    const steps: [number, number][] = [];
    await inspectFile(input, { onProgress: (read, total) => steps.push([read, total]) });
    expect(steps.length).toBeGreaterThan(1);
    expect(steps.at(-1)).toEqual([match.bytes.length, match.bytes.length]);
    expect(steps.map(([read]) => read)).toEqual(steps.map(([read]) => read).sort((a, b) => a - b));
  });
});
