import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeSync } from "../src/index.js";
import { PEAK_WINDOWS_S, type PeakDemands, peakDemands } from "../src/metrics/index.js";
import { encode } from "../src/recording/encode.js";
import { peakColumns } from "../src/squad/peak-columns.js";
import { asi, Fixture, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { wholeBytes } from "./whole.js";

const FILE = "7-Kunz.asi";

/** The recording with three sprints, and a period with two of them. */
function folderOfSprints(): string {
  const folder = join(scratchFolder(), "sprints");
  mkdirSync(folder);
  writeFileSync(join(folder, FILE), readFileSync(new Fixture("valid/reception").path));
  writeFileSync(join(folder, "periods.csv"), "period,start,end\nEnd,17:00:25,17:01:10\n");
  return folder;
}

const START_MS = Date.UTC(2026, 3, 12, 13);
const DAY_MS = 86_400_000;

/** A row each second at 3 m/s, in several parts. */
function recordingOf(parts: readonly { startMs: number; seconds: number }[]): Promise<Uint8Array> {
  const rows = parts.flatMap(({ startMs, seconds }) =>
    Array.from({ length: seconds }, (_, i) => ({
      timestamp: startMs + i * 1000,
      latitude: 46.9629,
      longitude: 7.4648,
      speed: 3,
    })),
  );
  return wholeBytes(encode(rows, { serial: "TRK-1" }));
}

/** A session of Kunz, who trains for the named minutes on two days that are five days apart. */
async function folderOfTwoDays(minutesBefore: number): Promise<string> {
  const folder = join(scratchFolder(), "days", "training");
  mkdirSync(folder, { recursive: true });
  const before = { startMs: START_MS - 5 * DAY_MS, seconds: Math.round(minutesBefore * 60) };
  writeFileSync(join(folder, FILE), await recordingOf([before, { startMs: START_MS, seconds: 3600 }]));
  writeFileSync(join(folder, "roster.csv"), "player,serial\nKunz,TRK-1\n");
  return folder;
}

const SUFFIXES = {
  distance: "distance_m",
  high_speed_distance: "high_speed_m",
  acceleration: "acceleration_m_per_s2",
  accelerations: "accelerations",
  heart_rate: "heart_rate_bpm",
} as const;

/** The cells of a row with these peaks. */
function cellsOf({ peaks }: Pick<PeakDemands, "peaks">): Record<string, string> {
  const cells = Object.entries(SUFFIXES).flatMap(([amount, suffix]) =>
    peaks[amount as keyof typeof SUFFIXES].flatMap(({ value, start_time }, i) => {
      const key = `peak_${PEAK_WINDOWS_S[i]}s_${suffix}`;
      return [
        [key, value === null ? "" : String(value)],
        [`${key}_start`, start_time === null ? "" : new Date(start_time).toISOString()],
      ];
    }),
  );
  return Object.fromEntries(cells);
}

describe("asi squad --peaks", () => {
  it("shows the same digits and times as asi stats --peaks for the session, and as peakDemands for a period", async () => {
    const folder = folderOfSprints();
    const path = join(folder, FILE);
    const { stdout } = await asi(["squad", folder, "--peaks", "--format", "csv"]);
    const [session, end] = tableOf(stdout);
    const stats = JSON.parse((await asi(["stats", path, "--peaks", "--json"])).stdout);
    const { samples } = decodeSync(readFileSync(path));
    const from = Date.UTC(2025, 4, 3, 17, 0, 25);
    const to = Date.UTC(2025, 4, 3, 17, 1, 10) - 1;
    expect(session).toMatchObject(cellsOf(stats.figures.peak_demands));
    expect(end).toMatchObject(cellsOf(peakDemands(samples, { from, to })));
    expect(Number(session?.peak_30s_distance_m)).toBeGreaterThan(0);
  });

  it("prints the distances of 1, 3, 5 and 10 minutes, and sorts by any peak", async () => {
    const { stdout } = await asi(["squad", folderOfSprints(), "--peaks", "--sort", "peak_5s_distance"]);
    const heads = stdout.split("\n")[1]?.trim();
    expect(heads?.split(/\s{2,}/)).toEqual([
      ...["Min", "Distance", "Rate", "Peak 1 min", "Peak 3 min", "Peak 5 min", "Peak 10 min"],
    ]);
  });

  it("has a different column header for each amount and window", async () => {
    const columns = [
      "distance_m",
      "high_speed_m",
      "acceleration_m_per_s2",
      "accelerations",
      "heart_rate_bpm",
    ];
    const names = columns.map((name) => `peak_60s_${name}`).join();
    const { stdout } = await asi(["squad", folderOfSprints(), "--peaks", "--columns", names]);
    expect(
      stdout
        .split("\n")[1]
        ?.trim()
        .split(/\s{2,}/),
    ).toEqual([...["Peak 1 min", "Peak 1 min fast", "Peak 1 min acc.", "Peak 1 min count", "Peak 1 min HR"]]);
    const heads = peakColumns().map(({ head }) => head);
    expect(new Set(heads).size).toBe(heads.length);
  });

  it("shows these distances in the report, and explains them", async () => {
    const { stdout } = await asi(["squad", folderOfSprints(), "--peaks", "--format", "html"]);
    for (const text of ["Peak 1 min", "Peak 10 min", "Peak: the longest distance in any window"])
      expect(stdout).toContain(text);
  });

  it("is refused together with recipes in a report, which has no space for both", async () => {
    const args = ["--peaks", "--recipe", "soccer/sprint", "--format", "html"];
    const { status, stderr } = await asi(["squad", folderOfSprints(), ...args]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/space for peaks or recipes/)]);
  });

  it("shows the peaks of the training session despite a few rows from earlier days", async () => {
    const folder = await folderOfTwoDays(1 / 3);
    const { status, stdout } = await asi(["squad", folder, "--peaks", "--format", "csv"]);
    expect(status).toBe(0);
    const start = new Date(START_MS).toISOString();
    expect(tableOf(stdout)[0]).toMatchObject({
      player: "Kunz",
      peak_600s_distance_m: "1800",
      peak_600s_distance_m_start: start,
      peak_1s_distance_m_start: start,
    });
  });

  it("names the player whose rows cover too many days for peaks", async () => {
    const { status, stderr } = await asi(["squad", await folderOfTwoDays(50), "--peaks"]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/Kunz: The samples cover 121 hours/)]);
  });

  it("keeps a session of a season whose peaks cannot be computed, and reports it", async () => {
    const season = join(await folderOfTwoDays(50), "..");
    const args = ["squad", season, "--by", "player", "--peaks", "--format", "csv"];
    const { status, stdout, stderr } = await asi(args);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/training: no peaks for Kunz\. Kunz: The samples cover 121 hours/),
    ]);
    const [row] = tableOf(stdout);
    expect(row).toMatchObject({ player: "Kunz", peak_60s_distance_m: "" });
    expect(Number(row?.distance_m)).toBeGreaterThan(10_000);
  });
});
