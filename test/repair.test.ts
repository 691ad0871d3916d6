import { describe, expect, it } from "vitest";
import { decodeRows, type EngineName, inspect, type RepairOptions, repair } from "../src/index.js";
import { pieces } from "./drive.js";
import { type FixtureFile, fixture, fixtures } from "./fixture-files.js";
import { ascii, asiInf, civilTime, joined, navPvt, ubxFrame } from "./frames.js";
import { expectSame } from "./same.js";
import { all, asiError, wholeBytes } from "./whole.js";

/** Fixtures that are recordings, with or without rows. */
const recordings = fixtures.filter(({ expectation }) => expectation.report !== undefined);

async function repaired(source: Uint8Array, options: RepairOptions = {}): Promise<Uint8Array> {
  return wholeBytes(repair(source, options).recording);
}

describe("a repaired recording", () => {
  it.for(recordings.map((file): [string, FixtureFile] => [file.name, file]))(
    "contains exactly the rows and frames of the input: %s",
    async ([, { bytes, options, expectation }]) => {
      const repairing = repair(bytes, options);
      const clean = await wholeBytes(repairing.recording);
      expect(await repairing.report).toEqual(expectation.report);
      expect((await repairing.info).serial).toBe(expectation.serial ?? undefined);

      // without options, because the repaired file needs none
      const rows = decodeRows(clean, { strict: true });
      expectSame(await all(rows), await all(decodeRows(bytes, options)), "rows");
      const { serial } = await rows.info;
      expect(serial).toBe((await repairing.info).serial);

      const before = expectation.report;
      const after = await rows.report;
      const added = before?.frames.header === 0 ? 1 : 0;
      expect(after.damage).toEqual({ badChecksums: 0, overlong: 0, overruns: 0 });
      expect(after.bytes).toEqual({
        total: (before?.bytes.known ?? 0) + (before?.bytes.unknown ?? 0) + 72 * added,
        known: (before?.bytes.known ?? 0) + 72 * added,
        unknown: before?.bytes.unknown,
        skipped: 0,
      });
      expect(after.frames).toEqual({ ...before?.frames, header: (before?.frames.header ?? 0) + added });
    },
  );

  it("equals an undamaged recording", async () => {
    const { bytes } = fixture("valid/match-hr");
    expectSame(await repaired(bytes), bytes, "match-hr");
  });

  it("is unchanged if repaired again", async () => {
    for (const { bytes, options, name } of recordings) {
      const once = await repaired(bytes, options);
      expectSame(await repaired(once), once, name);
    }
  });

  it("keeps frames of unknown kinds and their order, and omits text and torn frames", async () => {
    const unknown = ubxFrame(0x0135, ascii("satellites"));
    const first = navPvt(civilTime(0));
    const second = navPvt(civilTime(100));
    const broken = joined([
      ascii("$GP"),
      asiInf(),
      first,
      first.subarray(0, 60),
      unknown,
      ascii("\r\n"),
      second,
    ]);
    expect(await repaired(broken)).toEqual(joined([asiInf(), first, unknown, second]));
  });

  it.for<EngineName>(["simd", "scalar", "plain"])(
    "is the same with the %s engine, in any chunks",
    async (engine) => {
      const { bytes } = fixture("damaged/torn-frames");
      const whole = await repaired(bytes);
      const inPieces = repair(pieces(bytes, 333), { engine });
      expect(await wholeBytes(inPieces.recording)).toEqual(whole);
    },
  );
});

describe("a serial number given to repair", () => {
  it("is in every header of the repaired recording", async () => {
    const { bytes } = fixture("damaged/repeated-header");
    const clean = await repaired(bytes, { serial: "NEW.1" });
    const { info, report } = await inspect(clean, { strict: true });
    expect(info.serial).toBe("NEW.1");
    expect(report.frames.header).toBe((await inspect(bytes)).report.frames.header);
  });

  it("makes one recording from those of two devices", async () => {
    const { bytes } = fixture("damaged/foreign-header");
    expect(await asiError(repaired(bytes))).toMatchObject({ code: "MIXED_DEVICES" });
    const { info, report } = await inspect(await repaired(bytes, { serial: "BOTH" }));
    expect(info.serial).toBe("BOTH");
    expect(report.rows.total).toBeGreaterThan(0);
  });

  it("replaces one that is invalid in a file name", async () => {
    const recording = joined([asiInf({ serial: "A/1", deviceName: "Tracker" }), navPvt()]);
    const { info } = await inspect(await repaired(recording, { serial: "A-1" }));
    expect(info).toMatchObject({ serial: "A-1", deviceName: "Tracker", periodMs: 100 });
  });

  it("does not change the rest of the header, printable or not", async () => {
    const recording = joined([asiInf({ deviceName: "Läufer", deviceType: "\u0001" }), navPvt()]);
    const renamed = joined([
      asiInf({ serial: "NEW-1", deviceName: "Läufer", deviceType: "\u0001" }),
      navPvt(),
    ]);
    expect(await repaired(recording, { serial: "NEW-1" })).toEqual(renamed);
  });

  it("makes a recording from a plain u-blox log", async () => {
    const { bytes, expectation } = fixture("valid/ublox7-plain");
    const clean = await repaired(bytes, { serial: "UBLOX-7" });
    const inspection = await inspect(clean, { strict: true });
    expect(inspection.info).toEqual({
      serial: "UBLOX-7",
      deviceName: "",
      deviceType: "",
      firmwareVersion: "",
      periodMs: 0,
      formatVersion: 1,
    });
    expect(inspection.report.rows).toEqual(expectation.report?.rows);
    expectSame(clean.slice(72), bytes, "frames");
  });
});

describe("a file that is not a recording cannot be repaired", () => {
  it.for(
    fixtures
      .filter(({ expectation }) => expectation.report === undefined)
      .map((file): [string, FixtureFile] => [file.name, file]),
  )("%s", async ([, { bytes, options, expectation }]) => {
    const error = await asiError(repaired(bytes, options));
    expect(error.code).toBe(expectation.error);
    expect(error.byteOffset).toBe(expectation.errorByteOffset);
  });
});
