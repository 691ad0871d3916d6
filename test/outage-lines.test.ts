import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutageLines } from "../src/cli/live/outage-lines.js";

const LOST = "the connection is lost; trying again.";
const BACK = "connected again.";

/** The lines with their times, s, after reports at some times. */
function linesAfter(reports: readonly (readonly [second: number, isLost: boolean])[]): string[] {
  let nowMs = 0;
  const lines: string[] = [];
  const outage = new OutageLines(
    (text) => lines.push(`${nowMs / 1000} ${text}`),
    () => nowMs,
  );
  for (const [second, isLost] of reports) {
    nowMs = 1000 * second;
    outage.report(isLost);
  }
  return lines;
}

describe("lines about a lost connection", () => {
  it("are one line when it is lost and one when it is back, for any number of attempts", () => {
    const attempts = Array.from({ length: 30 }, (_, i) => [10 + 3 * i, true] as const);
    expect(linesAfter([[1, false], ...attempts, [100, false], [101, false]])).toEqual([
      `10 ${LOST}`,
      `100 ${BACK}`,
    ]);
  });

  it("are printed at the end of the minute after another line, unless the connection has changed again", () => {
    expect(
      linesAfter([
        [10, true],
        [11, false],
        [69, false],
        [71, false],
      ]),
    ).toEqual([`10 ${LOST}`, `71 ${BACK}`]);
    expect(
      linesAfter([
        [10, true],
        [11, false],
        [12, true],
        [80, true],
      ]),
    ).toEqual([`10 ${LOST}`]);
  });

  it("alternate, and are at most one a minute", () => {
    const report = fc.tuple(fc.integer({ min: 1, max: 90 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(report, { maxLength: 60 }), (steps) => {
        let second = 0;
        const lines = linesAfter(
          steps.map(([pause, isLost]) => {
            second += pause;
            return [second, isLost] as const;
          }),
        );
        const times = lines.map((line) => Number(line.split(" ")[0]));
        for (const [i, time] of times.entries())
          if (i > 0) expect(time - (times[i - 1] ?? 0)).toBeGreaterThanOrEqual(60);
        expect(lines.every((line, i) => line.endsWith(i % 2 === 0 ? LOST : BACK))).toBe(true);
      }),
    );
  });
});
