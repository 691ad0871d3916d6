import { computeMetrics } from "asi-convert/metrics";
import { describe, expect, it } from "vitest";
import { type ComparedFrame, comparisonCsv } from "../src/app/activities/comparison-csv.js";
import type { Computed } from "../src/app/activities/computed.js";
import {
  COMPARED_FIGURES,
  differenceText,
  isComparable,
  nameOfFigure,
} from "../src/app/activities/computed-figures.js";
import { instantOf, instantText } from "../src/app/parts/when.js";
import { recordedTimeMs } from "../src/recording/recorded-time.js";
import { zoneName } from "../src/view/times.js";

const START = Date.UTC(2025, 4, 17, 12);
const COMPUTED_AT = Date.UTC(2025, 4, 18);

type Params = NonNullable<Parameters<typeof computeMetrics>[1]>["params"] & object;

/** Returns the computed data for a minute at a steady speed, with ten rows per second. */
function steady(speedMmPerS: number, params: Params = {}): Computed {
  const length = 601;
  const metrics = computeMetrics(
    {
      length,
      timestampMs: Float64Array.from({ length }, (_, i) => START + i * 100),
      speedMmPerS: new Int32Array(length).fill(speedMmPerS),
      hr: new Uint8Array(length),
    },
    { preset: "soccer", params },
  );
  return { ...metrics, last_computation: COMPUTED_AT };
}

const frame = (timeframe: number, athlete: string, computed: Computed | null): ComparedFrame => ({
  timeframe,
  name: "First half",
  athlete,
  device: "Left wing (A1)",
  startTime: "2025-05-17T12:00:00.000Z",
  endTime: "2025-05-17T12:01:00.000Z",
  computed,
});

const KMH = { speedUnit: "km/h", zone: "utc" } as const;

const figure = (key: string) => {
  const found = COMPARED_FIGURES.find((one) => one.key === key);
  if (found === undefined) throw new Error(`There is no figure ${key}.`);
  return found;
};

describe("the export of compared figures", () => {
  it("has the columns, units and zone of the page, and all digits", () => {
    const computed = steady(5000);
    const [head = "", line = ""] = comparisonCsv([frame(8, "Ada", computed)], KMH).split("\r\n");
    const names = [...head.matchAll(/"([^"]*)"|([^,]+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
    const values = line.split(",");
    const cells = Object.fromEntries(names.map((name, i) => [name, values[i]]));
    expect(cells).toMatchObject({
      Number: "8",
      "Time frame": "First half",
      Athlete: "Ada",
      "Start, UTC": "2025-05-17T12:00:00",
      "Distance, m": String(computed.total_distance),
      "Max speed, km/h": "18",
      "Mean speed, km/h": "18",
      "Recorded, s": String(recordedTimeMs(computed) / 1000),
      Sprints: "0",
      "From 19.8 km/h, m": "0",
      "Mean HR, bpm": "",
      "Computed, UTC": "2025-05-18T00:00:00",
    });
    expect(names.filter((name) => /^Time from .* km\/h, s$/.test(name))).toHaveLength(
      computed.time_per_speed_ranges.length,
    );
    const slower = comparisonCsv([frame(8, "Ada", computed)], { ...KMH, speedUnit: "m/s" });
    expect(slower).toContain('"Max speed, m/s"');
  });

  it("contains the number of samples and seconds that are excluded as too fast for the sport", () => {
    const [head = "", line = "", failed = ""] = comparisonCsv(
      [frame(8, "Ada", steady(20_000)), frame(9, "Bob", null)],
      KMH,
    ).split("\r\n");
    expect(head).toMatch(/"Too fast for the sport, samples","Too fast for the sport, s","Computed, UTC"$/);
    expect(line).toMatch(/,601,60,2025-05-18T00:00:00$/);
    expect(failed).toMatch(/,,,$/);
  });

  it("contains times in the zone of the page, and its header names the zone", () => {
    process.env.TZ = "Europe/Zurich";
    const text = comparisonCsv([frame(8, "Ada", null)], { ...KMH, zone: "local" });
    const [head = "", line = ""] = text.split("\r\n");
    expect(head).toContain(`"Start, ${zoneName("local")}","End, ${zoneName("local")}"`);
    expect(zoneName("local")).toMatch(/Europe.Zurich/);
    expect(line).toContain(",2025-05-17T14:00:00,2025-05-17T14:01:00,");
  });

  it("writes names as text instead of formulas, and quotes line breaks", () => {
    const text = comparisonCsv(
      [frame(8, '=HYPERLINK("http://example.org")', null), frame(9, "a,\nb", null)],
      KMH,
    );
    expect(text).toContain(`"'=HYPERLINK(""http://example.org"")"`);
    expect(text).toContain('"a,\nb"');
    expect(text.split("\r\n")).toHaveLength(4);
    expect(comparisonCsv([frame(8, "\n=1+1", null)], KMH)).toContain(`"\n'=1+1"`);
  });

  it("omits speed classes that differ", () => {
    const other = steady(5000, { sprint_threshold: 4 });
    expect(isComparable([steady(4000), steady(5000)])).toBe(true);
    expect(isComparable([steady(4000), other])).toBe(false);
    expect(isComparable([steady(4000), steady(4000, { max_hr: 190 })])).toBe(true);
    expect(comparisonCsv([frame(8, "Ada", steady(4000)), frame(9, "Bob", other)], KMH)).not.toContain(
      "Time from",
    );
  });
});

describe("high intensity", () => {
  it("is the distance above the higher threshold, and its name contains the threshold if it is the same for all", () => {
    const hid = { hid_thresholds: [2, 5.5] as const };
    const slow = steady(4000, hid);
    const fast = steady(6000, hid);
    expect(figure("highIntensity").value(slow)).toBe(0);
    expect(figure("highIntensity").value(fast)).toBeCloseTo(fast.total_distance ?? 0, 0);
    expect(nameOfFigure(figure("highIntensity"), [slow, fast], "km/h")).toBe("From 19.8 km/h");
    const other = steady(6000, { hid_thresholds: [2, 5] });
    expect(nameOfFigure(figure("highIntensity"), [fast, other], "km/h")).toBe("High intensity");
  });
});

describe("differences", () => {
  it("show a sign unless they are shown as 0", () => {
    expect(differenceText(figure("distance"), 12.4, "km/h")).toBe("+12");
    expect(differenceText(figure("distance"), -1234, "km/h")).toBe("−1,234");
    expect(differenceText(figure("distance"), -0.4, "km/h")).toBe("0");
    expect(differenceText(figure("maxSpeed"), 0.5, "km/h")).toBe("+1.8");
    expect(differenceText(figure("maxSpeed"), 0.5, "m/s")).toBe("+0.5");
    expect(differenceText(figure("recorded"), -65, "km/h")).toBe("−1:05 min");
  });
});

describe("times in fields", () => {
  it.each(["utc", "local"] as const)("represent the same instant after a round trip in %s", (zone) => {
    for (const ms of [START, START + 1, Date.UTC(2025, 0, 1), Date.UTC(2025, 9, 26, 1, 30)]) {
      const text = instantText(ms, zone);
      // in the hour that local time repeats, the text has no more information than a clock
      if (instantText(instantOf(text, zone) ?? 0, zone) !== text) throw new Error(`${text} is another time.`);
    }
    expect(instantOf("", zone)).toBeNull();
    expect(["2025-02-31", "2025-02-31T12:00:00", "2025-02-2"].map((text) => instantOf(text, zone))).toEqual([
      null,
      null,
      null,
    ]);
    expect(instantText(START, "utc")).toBe("2025-05-17T12:00:00");
    expect(instantText(START + 250, "utc")).toBe("2025-05-17T12:00:00.250");
  });
});
