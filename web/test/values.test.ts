import { describe, expect, it } from "vitest";
import { duration, durationDifference, elapsed } from "../src/view/times.js";
import { decimal, percent, withSign } from "../src/view/values.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("a length of time", () => {
  it("shows its units, unlike a time of day, and shows seconds only below an hour", () => {
    expect(duration(0)).toBe("0 s");
    expect(duration(16.4 * SECOND)).toBe("16 s");
    expect(duration(3 * MINUTE + 29 * SECOND)).toBe("3:29 min");
    expect(duration(32 * MINUTE + 5 * SECOND)).toBe("32:05 min");
    expect(duration(HOUR + 32 * MINUTE + 5 * SECOND)).toBe("1 h 32 min");
    expect(duration(26 * HOUR + 3 * MINUTE)).toBe("26 h 03 min");
  });

  it("is rounded before it is divided into units", () => {
    expect(duration(59.6 * SECOND)).toBe("1:00 min");
    expect(duration(HOUR - 400)).toBe("1 h 00 min");
    expect(duration(2 * HOUR - 20 * SECOND)).toBe("2 h 00 min");
  });

  it("shows a minus sign for a negative difference, unless it is shown as 0", () => {
    expect(durationDifference(-65 * SECOND)).toBe("−1:05 min");
    expect(durationDifference(-300)).toBe("0 s");
    expect(durationDifference(300)).toBe("0 s");
  });

  it("uses the format of a stopwatch for a position on an axis", () => {
    expect(elapsed(15 * MINUTE)).toBe("15:00");
    expect(elapsed(HOUR + 2 * MINUTE + 3 * SECOND)).toBe("1:02:03");
  });
});

describe("a number", () => {
  it("has a minus sign if it is negative, unless it is shown as 0", () => {
    expect(decimal(-1234.5, 1)).toBe("−1,234.5");
    expect(decimal(-0.05, 1)).toBe("−0.1");
    expect(decimal(-0.04, 1)).toBe("0.0");
    expect(decimal(-0.4, 0)).toBe("0");
    expect(decimal(-0, 1)).toBe("0.0");
    expect(decimal(0.04, 1)).toBe("0.0");
  });

  it("shows a sign for a difference, unless it is shown as 0", () => {
    expect(withSign(decimal(12, 0))).toBe("+12");
    expect(withSign(decimal(-12, 0))).toBe("−12");
    expect(withSign(decimal(-0.4, 0))).toBe("0");
    expect(withSign(durationDifference(65 * SECOND))).toBe("+1:05 min");
  });
});

describe("a share", () => {
  it("is rounded half up in percent, without errors of binary fractions", () => {
    for (let tenThousandths = 0; tenThousandths <= 10_000; tenThousandths += 1) {
      const tenthsOfPercent = Math.floor((tenThousandths + 5) / 10);
      const expected = `${Math.floor(tenthsOfPercent / 10)}.${tenthsOfPercent % 10} %`;
      expect(percent(tenThousandths / 10_000)).toBe(expected);
    }
  });
});
