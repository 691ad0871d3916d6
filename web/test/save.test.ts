import { readFileSync } from "node:fs";
import { convertSync, decodeSync, joinBatches } from "asi-convert";
import { describe, expect, it } from "vitest";
import { readFile } from "../src/recording/read-file.js";
import { save, saveTogether } from "../src/recording/save.js";
import { fixturePath } from "./fixtures.js";

const AS_USUAL = { everyMs: null, time: null, timeZone: "UTC", decimalMark: ".", numbers: "double" } as const;

/** Returns a file in the state of an open recording. */
async function opened(name: string, serial: string | null = null) {
  const file = new File([readFileSync(fixturePath(name))], name.replace(/.*\//, ""));
  const { facts, batches } = await readFile(file, { serial, onProgress: () => {} });
  const rows = joinBatches(batches);
  return { facts: { ...facts, rows: rows.length, ranges: [], isReordered: false }, file, rows, part: null };
}

describe("a download", () => {
  it("contains the rows of the log of a receiver, in each format and as a recording", async () => {
    const bytes = readFileSync(fixturePath("valid/ublox7-plain.asi"));
    const log = await opened("valid/ublox7-plain.asi", "ROVER-1");
    const csv = await save(log, "csv", AS_USUAL);
    const expected = convertSync(bytes, { serial: "ROVER-1" });
    expect(csv.fileName).toBe(expected.fileName);
    expect(await csv.blob.text()).toBe(new TextDecoder().decode(expected.csv));
    const recording = await save(log, "asi", AS_USUAL);
    expect(recording.fileName).toBe("ublox7-plain.asi");
    const { samples, info } = decodeSync(new Uint8Array(await recording.blob.arrayBuffer()));
    expect(info.serial).toBe("ROVER-1");
    expect(samples.timestampMs).toEqual(log.rows.timestampMs);
  });

  it("has one row a second, and the selected formats of times and numbers", async () => {
    const match = await opened("valid/match-hr.asi");
    const options = {
      ...AS_USUAL,
      everyMs: 1000,
      time: "local",
      timeZone: "Europe/Zurich",
      decimalMark: ",",
    } as const;
    const { blob } = await save(match, "csv", options);
    const expected = convertSync(readFileSync(fixturePath("valid/match-hr.asi")), {
      everyMs: 1000,
      time: "local",
      timeZone: "Europe/Zurich",
      decimalMark: ",",
    });
    expect(await blob.text()).toBe(new TextDecoder().decode(expected.csv));
    // options that a format does not support are ignored
    for (const format of ["gpx", "jsonl", "parquet"] as const) {
      expect((await save(match, format, { ...options, time: "excel" })).blob.size).toBeGreaterThan(1000);
    }
  });

  it("is one CSV for several recordings, with the recording in the first column", async () => {
    const match = await opened("valid/match-hr.asi");
    const run = await opened("valid/run-fix-loss.asi");
    const named = { ...run, facts: { ...run.facts, info: null, fileName: '=cmd("x").csv' } };
    const part = { startMs: match.rows.timestampMs[3] ?? 0, stopMs: match.rows.timestampMs[5] ?? 0 };
    const { blob } = await saveTogether([{ ...match, part }, named], AS_USUAL);
    const lines = (await blob.text()).trimEnd().split("\n");
    const golden = (name: string) => readFileSync(fixturePath(name), "utf8").trimEnd().split("\n");
    const [header, ...first] = golden("valid/match-hr.csv");
    const [, ...second] = golden("valid/run-fix-loss.csv");
    const title = match.facts.info?.deviceName;
    expect(lines).toEqual([
      `recording,${header}`,
      ...first.slice(3, 6).map((line) => `"${title}",${line}`),
      ...second.map((line) => `"'=cmd(""x"")",${line}`),
    ]);
    const earlier = { startMs: part.startMs - 86_400_000, stopMs: part.stopMs - 86_400_000 };
    const rest = await saveTogether([{ ...match, part: earlier }, named], AS_USUAL);
    expect((await rest.blob.text()).trimEnd().split("\n")).toEqual([lines[0], ...lines.slice(4)]);
    await expect(saveTogether([{ ...match, part: earlier }], AS_USUAL)).rejects.toThrow(/row/);
  });
});
