import { describe, expect, test } from "vitest";
import { Calendar } from "../src/cli/service/calendar.js";
import { daysWithSamples } from "../src/cli/service/pulled-days.js";

const at = (iso: string) => Date.parse(iso);
const interval = (start: string, stop: string) => ({ startMs: at(start), stopMs: at(stop) });
const range = (start: string, stop: string, size: number) => ({ ...interval(start, stop), size });

const DAY_MS = 86_400_000;
const hours = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => (toMs - fromMs) / 3_600_000;

describe("the days of ranges", () => {
  test("begin at midnight UTC, or in the time zone", () => {
    const evening = [range("2026-05-16T21:59:59.900Z", "2026-05-16T22:00:00Z", 2)];
    expect(daysWithSamples(new Calendar(undefined), evening).map(({ date }) => date)).toEqual(["2026-05-16"]);
    expect(daysWithSamples(new Calendar("Europe/Zurich"), evening)).toMatchObject([
      { date: "2026-05-16", fromMs: at("2026-05-15T22:00:00Z"), toMs: at("2026-05-16T22:00:00Z") },
      { date: "2026-05-17", fromMs: at("2026-05-16T22:00:00Z"), toMs: at("2026-05-17T22:00:00Z") },
    ]);
  });

  test("are 23 and 25 hours long when clocks are changed, and a skipped day has none", () => {
    const zurich = new Calendar("Europe/Zurich");
    const lengths = (day: string) =>
      daysWithSamples(zurich, [range(`${day}T12:00:00Z`, `${day}T12:00:01Z`, 2)]).map(hours);
    expect([lengths("2026-03-29"), lengths("2026-10-25")]).toEqual([[23], [25]]);
    const overSkipped = [range("2011-12-29T12:00:00Z", "2011-12-31T12:00:00Z", 9)];
    expect(daysWithSamples(new Calendar("Pacific/Apia"), overSkipped).map(({ date }) => date)).toEqual([
      "2011-12-29",
      "2011-12-31",
      "2012-01-01",
    ]);
  });

  test("change their state only if the number or the ends of their ranges change", () => {
    const morning = range("2026-05-16T08:00:00Z", "2026-05-16T09:00:00Z", 36_000);
    const next = range("2026-05-17T08:00:00Z", "2026-05-17T09:00:00Z", 36_000);
    const statesOf = (...ranges: (typeof morning)[]) =>
      daysWithSamples(new Calendar(undefined), ranges).map(({ state }) => state);
    const [state, stateOfNext] = statesOf(morning, next);
    expect(stateOfNext).not.toBe(state);
    expect(statesOf(morning)).toEqual([state]);
    const others = [
      { ...morning, size: 36_001 },
      { ...morning, stopMs: morning.stopMs + 100 },
      { ...morning, startMs: morning.startMs - 100 },
    ];
    for (const other of others)
      expect(statesOf(other, next)).toEqual([expect.not.stringMatching(state ?? ""), stateOfNext]);
    const twice = range("2026-05-16T12:00:00Z", "2026-05-16T12:00:00Z", 1);
    expect(statesOf(morning, twice, next)).toEqual([expect.not.stringMatching(state ?? ""), stateOfNext]);
  });
});

describe("the windows in which ranges are listed", () => {
  test.each([undefined, "Europe/Zurich", "Pacific/Apia", "America/Los_Angeles"])(
    "cover all of the time, without overlap, each shorter than 14 days (%s)",
    (zone) => {
      const windows = new Calendar(zone).windowsOf([
        interval("2011-01-01T00:00:00Z", "2013-01-01T00:00:00Z"),
      ]);
      expect(windows[0]?.startMs).toBeLessThanOrEqual(at("2011-01-01T00:00:00Z"));
      expect(windows.at(-1)?.stopMs).toBeGreaterThanOrEqual(at("2013-01-01T00:00:00Z"));
      for (const [i, { startMs, stopMs }] of windows.entries()) {
        expect(stopMs - startMs).toBeLessThan(14 * DAY_MS);
        if (i > 0) expect(startMs).toBe((windows[i - 1]?.stopMs ?? 0) + 1);
      }
    },
  );

  test("begin on the same days for any part of the time, and omit times without ownership", () => {
    const calendar = new Calendar(undefined);
    const all = calendar.windowsOf([interval("2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")]);
    const parts = calendar.windowsOf([
      interval("2025-02-02T10:00:00Z", "2025-02-03T10:00:00Z"),
      interval("2025-11-11T10:00:00Z", "2025-11-12T10:00:00Z"),
    ]);
    expect(parts.length).toBeLessThanOrEqual(4);
    for (const part of parts) expect(all).toContainEqual(part);
  });
});
