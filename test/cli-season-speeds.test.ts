import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { speedColumns, speedsIn } from "../src/cli/run/season-speeds.js";
import { accelerationSpeedProfile, type MetricSamples, sessionMaxSpeed } from "../src/metrics/index.js";
import { encode } from "../src/recording/encode.js";
import { type PlayedSession, seasonOf as playersOf } from "../src/squad/season.js";
import { asi, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { plantedSprints } from "./metrics/figures/planted.js";
import { columnsOf, type TestSample } from "./metrics/golden/sessions.js";
import { wholeBytes } from "./whole.js";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 3, 12, 13);

/** Sprints, as shares of the full speed. */
function sessionOn(day: number, share: number): TestSample[] {
  const [first] = plantedSprints(0.05);
  return plantedSprints(0.05).map(({ t, speed }) => ({
    t: START_MS + day * DAY_MS + t - (first?.t ?? 0),
    speed: Math.round((speed ?? 0) * share),
  }));
}

/** A season with a session on each of these days. */
async function seasonOf(
  sessions: readonly (readonly [day: number, samples: TestSample[]])[],
): Promise<string> {
  const season = join(scratchFolder(), "season");
  for (const [day, samples] of sessions) {
    const folder = join(season, `day ${String(day).padStart(3, "0")}`);
    mkdirSync(folder, { recursive: true });
    const rows = samples.map(({ t, speed }) => ({
      timestamp: t,
      latitude: 46.9629,
      longitude: 7.4648,
      speed: (speed ?? 0) / 1000,
    }));
    writeFileSync(join(folder, "a.asi"), await wholeBytes(encode(rows, { serial: "TRK-1" })));
  }
  return season;
}

const squad = (season: string, ...more: string[]) =>
  asi(["squad", season, "--by", "player", "--profile", ...more]);

describe("asi squad --by player --profile", () => {
  it("prints the maximum speed of the season, and the profile of the sessions of 28 days", async () => {
    const sessions = [0, 80, 100].map((day) => [day, sessionOn(day, day === 0 ? 1.04 : 1)] as const);
    const samples: MetricSamples[] = sessions.map(([, own]) => columnsOf(own));
    const { stdout } = await squad(await seasonOf(sessions), "--format", "csv");
    const rows = tableOf(stdout);
    const speeds = samples.map((own) => sessionMaxSpeed(own) ?? 0);
    expect(rows.map((row) => Number(row.session_max_speed_m_per_s))).toEqual(speeds);
    const [first = 0] = speeds;
    const { profile } = accelerationSpeedProfile(samples.slice(1), { maxSpeed: first });
    expect(profile).not.toBeNull();
    expect(rows[2]).toMatchObject({
      season_max_speed_m_per_s: String(first),
      season_max_speed_day: "2026-04-12",
      season_max_speed_unconfirmed: "no",
      profile_a0_m_per_s2: String(profile?.a0),
      profile_s0_m_per_s: String(profile?.s0),
      profile_points: String(profile?.n_before),
      profile_sessions: "2",
      profile_reason: "",
    });
  });

  it("marks a maximum speed that no other session confirms, and gives the reason for a missing profile", async () => {
    const season = await seasonOf([
      [0, sessionOn(0, 0.8)],
      [40, sessionOn(40, 1)],
      [80, sessionOn(80, 0.4)],
    ]);
    const { stdout } = await squad(season);
    expect(stdout).toMatch(/in 365 days: \d\.\d\d m\/s on 2026-05-22, unconfirmed, because no other session/);
    expect(stdout).toMatch(/profile of 28 days \(1 with running\): none: /);
  });

  it("gives the same reason in the text and in files if the maximum speed is below 1 m/s", async () => {
    const season = await seasonOf([[0, sessionOn(0, 0.05)]]);
    const [row] = tableOf((await squad(season, "--format", "csv")).stdout);
    expect(row?.profile_reason).toMatch(/^maximum speed 0\.\d+ m\/s; at least 1 m\/s is needed$/);
    expect((await squad(season)).stdout).toContain(`(0 with running): none: ${row?.profile_reason}\n`);
  });

  it("computes the speeds and the day of each session once for all columns", () => {
    const played = Array.from({ length: 5 }, (_, week): PlayedSession => {
      const startMs = START_MS + 7 * week * DAY_MS;
      const player = { name: "Kunz", number: null, position: null };
      const speeds = { maxSpeed: 8, points: [] };
      const rows = [
        {
          player,
          figures: {},
          covers: "session" as const,
          limits: null,
          benchShare: 0,
          playedShare: 1,
          tooFast: null,
          coverage: 1,
          hrCoverage: 1,
          speeds,
        },
      ];
      return {
        name: `${week}`,
        startMs,
        endMs: startMs + 1,
        isMatch: false,
        sport: "soccer",
        note: null,
        rows,
      };
    });
    const [player] = playersOf(played).players;
    if (player === undefined) throw new Error("There is no player.");
    const asked: number[] = [];
    const speedsOf = speedsIn((ms) => {
      asked.push(ms);
      return new Date(ms).toISOString();
    });
    const columns = speedColumns(speedsOf);
    for (const [index, entry] of player.entries.entries())
      for (const { cell } of columns) cell({ player, entry, index });
    expect(asked).toEqual(played.map(({ startMs }) => startMs));
    expect(speedsOf(player, 3)).toBe(speedsOf(player, 3));
  });

  it("shows points without decimals and R2 with four in a workbook", () => {
    const columns = speedColumns(speedsIn(String)).map(({ key, decimals }) => [key, decimals]);
    expect(Object.fromEntries(columns)).toMatchObject({
      profile_points: 0,
      profile_r2: 4,
      profile_a0_m_per_s2: 2,
    });
  });

  it("gives the same results in threads and from the cache", async () => {
    const season = await seasonOf([0, 20].map((day) => [day, sessionOn(day, 1)] as const));
    const once = await squad(season, "--format", "csv", "--jobs", "1");
    for (const more of [["--jobs", "2"], ["--cache"], ["--cache"]])
      expect((await squad(season, "--format", "csv", ...more)).stdout).toBe(once.stdout);
  });

  it("is refused for anything other than a season, and for a report", async () => {
    const season = await seasonOf([[0, sessionOn(0, 1)]]);
    const single = await asi(["squad", season, "--profile"]);
    expect([single.status, single.stderr]).toEqual([2, expect.stringMatching(/add --by player/)]);
    const report = await squad(season, "--format", "html");
    expect([report.status, report.stderr]).toEqual([2, expect.stringMatching(/omit it for a report/)]);
  });
});
