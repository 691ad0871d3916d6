import { describe, expect, it } from "vitest";
import { runChild } from "./child.js";
import { fixture } from "./fixture-files.js";

// Times around summer time, leap days, and the ends of years and of the epoch. The whole years 1 to 9999 would
// include historical local times.
const names = ["valid/run-fix-loss", "valid/hour-without-hr", "damaged/before-1970", "damaged/before-2001"];

describe("results do not depend on the time zone of the machine", () => {
  it.for<[string, number]>([
    ["UTC", 0],
    ["Asia/Kolkata", -330],
    ["America/St_Johns", 210],
  ])("TZ=%s", async ([zone, minutesWestOfGreenwich]) => {
    const { stdout, stderr } = await runChild("print-results", { args: names, env: { TZ: zone } });
    expect(stderr).toBe("");
    const printed = JSON.parse(stdout) as {
      minutesWestOfGreenwich: number;
      results: Record<string, unknown>[];
    };
    expect(printed.minutesWestOfGreenwich).toBe(minutesWestOfGreenwich);
    for (const [i, name] of names.entries()) {
      const { csv, expectation } = fixture(name);
      const [head, , ...others] = (csv ?? "").split("\n");
      expect(printed.results[i], name).toEqual({
        csv,
        plain: csv,
        again: csv,
        limited: [head, ...others].join("\n"),
        fileName: expectation.fileName,
        report: expectation.report,
      });
    }
  });
});
