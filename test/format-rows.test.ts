import { describe, expect, it } from "vitest";
import { drive, type Outcome, csvFieldsOf as rows } from "./drive.js";
import { everyEngine } from "./every-engine.js";
import { civilTime, ecgHr, joined, type NavPvtFields, navPvt } from "./frames.js";

describe.for(everyEngine)("%s", ([, create]) => {
  const engine = create();

  function decode(frames: readonly Uint8Array[], settings: Parameters<typeof drive>[2] = {}): Outcome {
    return drive(engine, joined(frames), settings);
  }

  function rowOf(fields: NavPvtFields): string[] {
    const [row = [], ...rest] = rows(decode([navPvt(fields)]));
    expect(rest).toEqual([]);
    return row;
  }

  describe("a row", () => {
    it("is one CSV line in seconds, degrees, metres, metres per second and beats per minute", () => {
      const outcome = decode([
        ecgHr({ timeMs: 1_000_000_000_000, beatsPerMinute: 142, rrIntervals: [432, 430] }),
        navPvt({
          year: 2001,
          month: 9,
          day: 9,
          hour: 1,
          minute: 46,
          second: 40,
          nano: 50_000_000,
          latitudeE7: 473_700_001,
          longitudeE7: 85_500_000,
          altitudeMm: 408_123,
          speedMmPerS: 3_050,
        }),
      ]);
      expect(outcome.csv).toBe("1000000000.050,47.3700001,8.5500000,408.123,3.050,142\n");
    });

    it("keeps small and negative numbers exactly", () => {
      expect(rowOf({ latitudeE7: -1, longitudeE7: -85_500_000, altitudeMm: -12, speedMmPerS: -1 })).toEqual([
        "0.000",
        "-0.0000001",
        "-8.5500000",
        "-0.012",
        "-0.001",
        "",
      ]);
    });

    it("keeps the extreme values of the frame", () => {
      const lowest = { latitudeE7: -900_000_000, longitudeE7: -1_800_000_000, altitudeMm: -(2 ** 31) };
      expect(rowOf({ ...lowest, speedMmPerS: -(2 ** 31) })).toEqual([
        "0.000",
        "-90.0000000",
        "-180.0000000",
        "-2147483.648",
        "-2147483.648",
        "",
      ]);
      const highest = { latitudeE7: 900_000_000, longitudeE7: 1_800_000_000, altitudeMm: 2 ** 31 - 1 };
      expect(rowOf({ ...highest, speedMmPerS: 2 ** 31 - 1 })).toEqual([
        "0.000",
        "90.0000000",
        "180.0000000",
        "2147483.647",
        "2147483.647",
        "",
      ]);
    });

    it("is counted, and lacks an altitude, if the fix is two-dimensional", () => {
      const outcome = decode([2, 3, 4].map((fixType) => navPvt({ fixType, altitudeMm: 5_000 })));
      expect(rows(outcome).map((row) => row[3])).toEqual(["", "5.000", "5.000"]);
      expect(outcome.report.rows).toEqual({ total: 3, withHr: 0, twoD: 1 });
    });

    it("appears in the columns as received", () => {
      const { columns } = decode(
        [
          navPvt({
            fixType: 2,
            latitudeE7: 5,
            longitudeE7: -6,
            altitudeMm: 7,
            speedMmPerS: -8,
            nano: -600_000,
          }),
        ],
        { output: "columns" },
      );
      expect(columns).toEqual({
        timestampMs: [-1],
        latitudeE7: [5],
        longitudeE7: [-6],
        altitudeMm: [7],
        speedMmPerS: [-8],
        hr: [0],
        fixType: [2],
      });
    });
  });

  describe("the time of a row", () => {
    it.for<[number, string]>([
      [0, "0.000"],
      [499_999, "0.000"],
      [500_000, "0.001"],
      [1_499_999, "0.001"],
      [-1, "0.000"],
      [-500_000, "0.000"],
      [-500_001, "-0.001"],
      [-500_000_000, "-0.500"],
      [-1_500_000, "-0.001"],
      [999_499_999, "0.999"],
      [999_500_000, "1.000"],
      [2 ** 31 - 1, "2.147"],
      [-(2 ** 31), "-2.147"],
    ])("rounds %i ns half up to %s", ([nano, timestamp]) => {
      expect(rowOf({ nano })[0]).toBe(timestamp);
    });

    it.for<[NavPvtFields, string]>([
      [{ year: 1969, month: 12, day: 31, hour: 23, minute: 59, second: 59 }, "-1.000"],
      [{ year: 1969, month: 12, day: 31, hour: 23, minute: 59, second: 58, nano: 250_000_000 }, "-1.750"],
      [{ year: 2001, month: 9, day: 9, hour: 1, minute: 46, second: 39 }, "999999999.000"],
      [{ year: 2024, month: 2, day: 29 }, "1709164800.000"],
      // 719,162 days from 0001-01-01 to 1970-01-01.
      [{ year: 1 }, "-62135596800.000"],
      [{ year: 99, month: 12, day: 31 }, "-59011545600.000"],
      [{ year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59 }, "253402300799.000"],
    ])("%o is %s", ([fields, timestamp]) => {
      expect(rowOf(fields)[0]).toBe(timestamp);
    });

    it.for<NavPvtFields>([
      { year: 0 },
      { year: 10_000 },
      { month: 0 },
      { month: 13 },
      { day: 0 },
      { day: 32 },
      { month: 4, day: 31 },
      { year: 2023, month: 2, day: 29 },
      { year: 1900, month: 2, day: 29 },
      { hour: 24 },
      { minute: 60 },
      { second: 60 },
    ])("%o does not exist, so there is no row", (fields) => {
      const { csv, report } = decode([navPvt(fields)]);
      expect(csv).toBe("");
      expect(report.gnssWithoutRow.badDate).toBe(1);
    });

    it("respects the leap days of centuries", () => {
      expect(rowOf({ year: 2000, month: 2, day: 29 })[0]).toBe("951782400.000");
    });
  });

  describe("a GNSS frame without a row", () => {
    const everythingWrong = { valid: 0, flags: 0, fixType: 1, latitudeE7: 900_000_001, month: 13 };

    it.for<[keyof Outcome["report"]["gnssWithoutRow"], NavPvtFields]>([
      ["noDateOrTime", everythingWrong],
      ["noDateOrTime", { ...everythingWrong, valid: 0b01 }],
      ["noDateOrTime", { ...everythingWrong, valid: 0b1110 }],
      ["noFixOk", { ...everythingWrong, valid: 0b11 }],
      ["noFixOk", { flags: 0xfe }],
      ["fixType", { ...everythingWrong, valid: 0b11, flags: 1 }],
      ["fixType", { fixType: 0 }],
      ["fixType", { fixType: 5 }],
      ["outOfRange", { ...everythingWrong, valid: 0b11, flags: 1, fixType: 3 }],
      ["outOfRange", { latitudeE7: -900_000_001 }],
      ["outOfRange", { longitudeE7: 1_800_000_001 }],
      ["outOfRange", { longitudeE7: -(2 ** 31) }],
      ["badDate", { month: 13 }],
    ])("is counted by the first reason: %s for %o", ([reason, fields]) => {
      const { csv, report } = decode([navPvt(fields)]);
      expect(csv).toBe("");
      expect(report.frames.gnss).toBe(1);
      expect(report.rows.total).toBe(0);
      expect(report.gnssWithoutRow).toEqual({
        noDateOrTime: 0,
        noFixOk: 0,
        fixType: 0,
        outOfRange: 0,
        badDate: 0,
        [reason]: 1,
      });
    });
  });

  describe("heart rate", () => {
    /** Readings and rows in file order: [time in ms, bpm] is a reading, a number is a row. Returns the hr of each row. */
    function joinedHr(events: (number | [bigint | number, number])[], fillHrMs = 0): string[] {
      const frames = events.map((event) =>
        typeof event === "number"
          ? navPvt(civilTime(event))
          : ecgHr({ timeMs: event[0], beatsPerMinute: event[1] }),
      );
      const outcome = decode(frames, { fillHrMs });
      const hr = rows(outcome).map((row) => row[5] ?? "");
      expect(outcome.report.rows.withHr).toBe(hr.filter((text) => text !== "").length);
      return hr;
    }

    it("is in one row only", () => {
      expect(joinedHr([[1000, 80], 1000, 1100, 1200])).toEqual(["80", "", ""]);
    });

    it("is used while it is less than 1000 ms old, and dropped afterwards", () => {
      expect(joinedHr([[1000, 80], 1999])).toEqual(["80"]);
      expect(joinedHr([[1000, 80], 2000, 1000])).toEqual(["", ""]);
    });

    it("waits for the first row that is not earlier", () => {
      expect(joinedHr([[1500, 80], 1000, 1499, 1500])).toEqual(["", "", "80"]);
    });

    it("continues to wait if an earlier one is dropped", () => {
      expect(joinedHr([[1500, 90], [1000, 80], 1000, 1500])).toEqual(["80", "90"]);
    });

    it("is the latest by time, and the last in the file if times are equal", () => {
      expect(joinedHr([[1500, 80], [1400, 90], 1600])).toEqual(["80"]);
      expect(joinedHr([[1500, 80], [1500, 81], 1600])).toEqual(["81"]);
    });

    it("is ignored if it is 0", () => {
      expect(joinedHr([[1000, 70], [1500, 0], 1600])).toEqual(["70"]);
    });

    it("waits if it is among the last 16 readings of the file", () => {
      const later = (count: number): [number, number][] => Array.from({ length: count }, () => [9000, 99]);
      expect(joinedHr([[1000, 80], ...later(15), 1000])).toEqual(["80"]);
      expect(joinedHr([[1000, 80], ...later(16), 1000])).toEqual([""]);
    });

    it("is in no row if its time is after all rows", () => {
      expect(joinedHr([[2n ** 64n - 1n, 80], [2n ** 63n, 81], 1000])).toEqual([""]);
    });

    it("is in no row before 1970", () => {
      const outcome = decode([
        ecgHr({ timeMs: 0, beatsPerMinute: 80 }),
        navPvt({ nano: -1_000_000 }),
        navPvt({ nano: 0 }),
      ]);
      expect(rows(outcome).map((row) => [row[0], row[5]])).toEqual([
        ["-0.001", ""],
        ["0.000", "80"],
      ]);
    });

    it("is repeated on rows without one, up to the given age", () => {
      expect(joinedHr([[1000, 80], 1000, 2000, 3500, 3501], 2500)).toEqual(["80", "80", "80", ""]);
    });

    it("is repeated even if it arrived too late for its row", () => {
      expect(joinedHr([[1000, 80], 2500], 2000)).toEqual(["80"]);
    });

    it("is not repeated on earlier rows", () => {
      expect(joinedHr([[2000, 80], 2000, 1900], 5000)).toEqual(["80", ""]);
    });

    it("is repeated from the latest reading before the row; a reading of the row itself takes precedence", () => {
      expect(joinedHr([[5000, 90], 5000, [4500, 70], 5100, 5200], 5000)).toEqual(["90", "70", "90"]);
    });
  });
});
