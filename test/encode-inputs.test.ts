import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { convertSync } from "../src/index.js";
import { encodeCsv } from "../src/node.js";
import { asi, MATCH, scratchFolder } from "./asi-process.js";
import { fixture } from "./fixture-files.js";
import { joined } from "./frames.js";
import { expectSame } from "./same.js";
import { batchOf } from "./sample-batches.js";
import { ownFit, readTrack } from "./track-files.js";
import { asiError, wholeBytes } from "./whole.js";

const csv = fixture("valid/edges").csv ?? "";
const utf8 = (text: string) => new TextEncoder().encode(text);
const recordingOf = (text: string, options = {}) =>
  wholeBytes(encodeCsv(utf8(text), { serial: "A-1" }, options));

describe("encodeCsv", () => {
  it("detects the delimiter in the header line, and accepts decimal commas with other delimiters", async () => {
    const expected = await recordingOf(csv);
    const semicolons = csv.replaceAll(",", ";");
    expectSame(await recordingOf(semicolons), expected, "semicolons");
    expectSame(await recordingOf(semicolons.replaceAll(".", ",")), expected, "decimal commas");
    expectSame(await recordingOf(`\n${csv.replaceAll(",", "\t")}`), expected, "tabs");
    const given = await recordingOf(semicolons.replaceAll(".", ","), { delimiter: ";" });
    expectSame(given, expected, "a given delimiter");
    const inPieces = encodeCsv(
      Array.from(utf8(semicolons.replaceAll(".", ",")), (byte) => Uint8Array.of(byte)),
      { serial: "A-1" },
    );
    expectSame(await wholeBytes(inPieces), expected, "bytes one by one");
  });

  it.each([
    { time: "iso" },
    { time: "local", timeZone: "America/St_Johns" },
    { time: "iso", decimalMark: "," },
    { time: "excel" },
    { time: "excel", decimalMark: "," },
  ] as const)("reads the times that convert writes with %j", async (options) => {
    const written = convertSync(fixture("valid/edges").bytes, options).csv;
    expectSame(await recordingOf(new TextDecoder().decode(written)), await recordingOf(csv), "times");
  });

  it.each([
    "2025-05-17 14:30",
    "2025-02-30T14:30:00Z",
    "2025-05-17T24:00:00Z",
    "2025-05-17T14:30:00+25:00",
    "17.05.2025",
    "",
  ])("reports the expected form of a time instead of %j", async (time) => {
    const error = await asiError(recordingOf(`timestamp,latitude,longitude,speed\n${time},47,8,0\n`));
    expect(error).toMatchObject({ code: "BAD_CSV", line: 2 });
    expect(error.message).toMatch(/seconds since 1970, or a date and time such as/);
  });

  it("does not accept decimal commas if the delimiter is a comma", async () => {
    const text = 'timestamp,latitude,longitude,speed\n1,47,"8,5",0\n';
    expect(await asiError(recordingOf(text))).toMatchObject({ code: "BAD_CSV", line: 2 });
  });
});

test("bytes after a FIT file are reported, even a single one", async () => {
  const row = {
    timestampMs: Date.UTC(2024, 4),
    latitudeE7: 0,
    longitudeE7: 0,
    altitudeMm: 0,
    speedMmPerS: 0,
  };
  const file = ownFit(batchOf([{ ...row, hr: 0, fixType: 3 }]));
  for (const count of [1, 2, 13, 14, 100]) {
    const { summary } = await readTrack(joined([file, new Uint8Array(count)]));
    const damage = { byteOffset: file.length, reason: "there are extra bytes after the end of the file" };
    expect(summary).toMatchObject({ rows: 1, damage });
  }
});

describe("asi encode reports an error in", () => {
  test.for<[string, Uint8Array, RegExp]>([
    ["empty.gpx", new Uint8Array(0), /The input is empty; give a CSV, FIT, GPX or TCX file/],
    ["noise.csv", Uint8Array.of(0, 1, 2, 200, 255), /neither a track nor text in UTF-8/],
    ["utf16.csv", new Uint8Array(Uint16Array.from(utf8(csv)).buffer), /neither a track nor text in UTF-8/],
  ])("%s", async ([name, bytes, message]) => {
    const folder = scratchFolder();
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const { status, stderr } = await asi(["encode", path, "--serial", "A-1"]);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/at byte 0/);
    expect(status).toBe(1);
  });

  test("a recording", async () => {
    const folder = scratchFolder();
    copyFileSync(MATCH.path, join(folder, "match.asi"));
    const { status, stderr } = await asi(["encode", join(folder, "match.asi"), "--serial", "A-1", "-o", "-"]);
    expect(stderr).toMatch(/The input is already a recording/);
    expect(status).toBe(1);
  });

  test("a folder", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "season"));
    const { status, stderr } = await asi(["encode", join(folder, "season"), "--serial", "A-1"]);
    expect(stderr).toMatch(/one file, but .*season is a folder/);
    expect(status).toBe(2);
  });
});
