import { describe, expect, it } from "vitest";
import { drive, type Outcome, csvFieldsOf as rows } from "./drive.js";
import { everyEngine } from "./every-engine.js";
import { ascii, asiInf, civilTime, ecgHr, ecgRaw, joined, navPvt, ubxFrame } from "./frames.js";

describe.for(everyEngine)("%s", ([, create]) => {
  const engine = create();

  function decode(frames: readonly Uint8Array[], settings: Parameters<typeof drive>[2] = {}): Outcome {
    return drive(engine, joined(frames), settings);
  }

  describe("the kinds of frames", () => {
    it("are distinguished by class, id and a valid length", () => {
      const known = [
        navPvt({ payloadBytes: 84 }),
        navPvt({ payloadBytes: 100 }),
        ecgHr({ timeMs: 0, beatsPerMinute: 60 }),
        ecgHr({ timeMs: 0, beatsPerMinute: 60, rrIntervals: new Array(255).fill(1000) }),
        ecgRaw(),
        ecgRaw({ samples: new Array(4088).fill(-1) }),
      ];
      const unknown = [
        navPvt({ payloadBytes: 83 }),
        ecgHr({ timeMs: 0, beatsPerMinute: 60, claimedCount: 1 }),
        ecgHr({ timeMs: 0, beatsPerMinute: 60, rrIntervals: [1], claimedCount: 0 }),
        ubxFrame(0xa501, new Uint8Array(11)),
        ubxFrame(0xa501, new Uint8Array(0)),
        ecgRaw({ claimedCount: 256 }),
        ubxFrame(0xa502, new Uint8Array(15)),
        ubxFrame(0xa503, new Uint8Array(64)),
        ubxFrame(0x0135, new Uint8Array(8192)),
      ];
      const { report } = decode([...known, ...unknown]);
      expect(report.frames).toEqual({ header: 0, gnss: 2, ecgHr: 2, ecgRaw: 2, unknown: unknown.length });
      expect(report.bytes).toEqual({
        total: joined([...known, ...unknown]).length,
        known: joined(known).length,
        unknown: joined(unknown).length,
        skipped: 0,
      });
      expect(report.damage).toEqual({ badChecksums: 0, overlong: 0, overruns: 0 });
    });

    it("are all passed on as frames, except new recording headers", () => {
      const frames = [navPvt(), ubxFrame(0x0135, ascii("sat")), ecgRaw({ samples: [1, 2] })];
      const [gnss, satellites, waveform] = frames as [Uint8Array, Uint8Array, Uint8Array];
      const another = asiInf({ serial: "TEST-2" });
      const outcome = decode([asiInf(), gnss, ascii("$GPGGA\r\n"), satellites, another, another, waveform], {
        output: "frames",
      });
      expect(outcome.headers.map(({ payload }) => payload)).toEqual([
        asiInf().subarray(6, -2),
        another.subarray(6, -2),
      ]);
      expect(outcome.frames).toEqual(joined([gnss, satellites, another, waveform]));
      expect(outcome.csv).toBe("");
    });
  });

  describe("the recording header", () => {
    it("is returned for every header frame of any length, with its position", () => {
      const outcome = decode([ascii("xy"), asiInf({ serial: "A" }), asiInf({ payloadBytes: 3 }), navPvt()], {
        needsHeader: true,
      });
      expect(outcome.headers.map(({ byteOffset, payload }) => [byteOffset, payload.length])).toEqual([
        [2, 64],
        [74, 3],
      ]);
      expect(outcome.headers[0]?.payload.subarray(0, 6)).toEqual(Uint8Array.of(1, 0, 100, 0, 0x41, 0));
      expect(outcome.report.frames).toMatchObject({ header: 2, gnss: 1 });
      expect(outcome.stop).toBeNull();
    });

    it.for([
      ["a known frame", navPvt()],
      ["an unknown frame", ubxFrame(0x0135, new Uint8Array(4))],
    ] as [string, Uint8Array][])("must be the first frame: %s before it causes an error", ([, frame]) => {
      const torn = asiInf().subarray(0, 20);
      const outcome = decode([torn, frame, asiInf()], { needsHeader: true });
      expect(outcome.stop).toEqual({ kind: "notRecording", byteOffset: 20 });
      expect(outcome.report.frames).toEqual({ header: 0, gnss: 0, ecgHr: 0, ecgRaw: 0, unknown: 0 });
      expect(outcome.report.bytes).toMatchObject({ known: 0, unknown: 0, skipped: 20 });
    });

    it("is optional unless needsHeader is set", () => {
      expect(decode([navPvt()]).stop).toBeNull();
    });

    it("is optional in an input without frames", () => {
      const outcome = decode([ascii("no recording at all")], { needsHeader: true });
      expect(outcome.stop).toBeNull();
      expect(outcome.report.bytes).toEqual({ total: 19, known: 0, unknown: 0, skipped: 19 });
    });
  });

  describe("ranges", () => {
    const at = (...seconds: number[]): Uint8Array[] =>
      seconds.map((second) => navPvt(civilTime(second * 1000)));

    it("end at a gap of more than 300,000 ms in either direction", () => {
      const { report, ranges } = decode([...at(1000, 1300), navPvt(civilTime(1_600_001)), ...at(1300, 999)]);
      expect(report.ranges).toEqual([
        { start: 1_000_000, stop: 1_300_000, size: 2 },
        { start: 1_600_001, stop: 1_600_001, size: 1 },
        { start: 1_300_000, stop: 1_300_000, size: 1 },
        { start: 999_000, stop: 999_000, size: 1 },
      ]);
      expect(ranges).toEqual(report.ranges);
      expect([report.start, report.end]).toEqual([999_000, 1_600_001]);
    });

    it("begin and end with their first and last row in the file, regardless of the order of times", () => {
      const { report } = decode(at(500, 400, 600, 450));
      expect(report.ranges).toEqual([{ start: 500_000, stop: 450_000, size: 4 }]);
      expect([report.start, report.end]).toEqual([400_000, 600_000]);
    });

    it("have the position in the CSV at which each begins", () => {
      const outcome = decode(at(10, 20, 1000, 2000, 2001));
      const files = outcome.rangeBreaks.map((start, i) =>
        outcome.csv.slice(start, outcome.rangeBreaks[i + 1]),
      );
      expect(files.map((file) => file.split("\n").map((line) => line.split(",")[0]))).toEqual([
        ["10.000", "20.000", ""],
        ["1000.000", ""],
        ["2000.000", "2001.000", ""],
      ]);
    });

    it("have no position in the CSV if none of their rows is in the output", () => {
      const outcome = decode(at(10, 1000, 2000, 2001), { fromMs: 11_000, toMs: 2_000_000 });
      expect(outcome.csv.split("\n").map((line) => line.split(",")[0])).toEqual(["1000.000", "2000.000", ""]);
      expect(outcome.rangeBreaks).toEqual([0, outcome.csv.indexOf("2000.000")]);
    });
  });

  describe("a time limit", () => {
    it("omits rows from the output only", () => {
      const frames = [
        ecgHr({ timeMs: 900, beatsPerMinute: 80 }),
        navPvt(civilTime(999)),
        navPvt(civilTime(1000)),
        navPvt(civilTime(2000)),
        navPvt(civilTime(2001)),
        navPvt(civilTime(1500)),
      ];
      const limited = decode(frames, { fromMs: 1000, toMs: 2000 });
      expect(rows(limited).map((row) => [row[0], row[5]])).toEqual([
        ["1.000", ""],
        ["2.000", ""],
        ["1.500", ""],
      ]);
      expect(limited.produced).toEqual({
        rows: 3,
        start: 1000,
        end: 2000,
        spans: [{ start: 1000, end: 2000 }],
      });
      expect(limited.report).toEqual(decode(frames).report);
      expect(limited.report.rows).toEqual({ total: 5, withHr: 1, twoD: 0, backwards: 1 });
    });

    it("may omit all rows", () => {
      const outcome = decode([navPvt()], { fromMs: 1 });
      expect(outcome.csv).toBe("");
      expect(outcome.produced).toEqual({ rows: 0, start: null, end: null, spans: [] });
      expect(outcome.rangeBreaks).toEqual([]);
    });
  });

  describe("a reset", () => {
    it("discards the previous recording", () => {
      const before = decode([asiInf(), navPvt()], { needsHeader: true });
      decode([ecgHr({ timeMs: 0, beatsPerMinute: 80 }), navPvt().subarray(0, 50)], { fillHrMs: 5000 });
      expect(decode([asiInf(), navPvt()], { needsHeader: true })).toEqual(before);
    });
  });
});
