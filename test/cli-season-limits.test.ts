/** Which sessions `asi squad --by player` does not compare, and what it says about them. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encode } from "../src/recording/encode.js";
import { asi, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { wholeBytes } from "./whole.js";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 3, 12, 13);

/** Sessions of Kunz, a week apart: a minute in 2 at 5.2 m/s, otherwise at 2 m/s. @param periods names of two parts of 30 minutes */
async function seasonFolder(count: number, periods = ["1st half", "2nd half"]): Promise<string> {
  const season = join(scratchFolder(), "season");
  for (let week = 0; week < count; week++) {
    const folder = join(season, `round ${week + 1}`);
    mkdirSync(folder, { recursive: true });
    const rows = Array.from({ length: 3661 }, (_, second) => ({
      timestamp: START_MS + week * 7 * DAY_MS + second * 1000,
      latitude: 46.9629,
      longitude: 7.4648,
      speed: second % 120 < 60 ? 5.2 : 2,
    }));
    writeFileSync(join(folder, "a.asi"), await wholeBytes(encode(rows, { serial: "TRK-1" })));
    const [first, second] = periods;
    writeFileSync(
      join(folder, "periods.csv"),
      `period,start,end\n${first},13:00,13:30\n${second},13:31,14:01\n`,
    );
  }
  writeFileSync(join(season, "roster.csv"), "player,serial\nKunz,TRK-1\n");
  return season;
}

describe("the sessions that a season does not compare", () => {
  it("are those with another threshold than the last one, for the figures that depend on it", async () => {
    const season = await seasonFolder(5);
    // from the fifth match, a lower threshold
    writeFileSync(join(season, "round 5", "roster.csv"), "player,serial,high_speed\nKunz,TRK-1,4.5 m/s\n");
    const args = ["squad", season, "--by", "player"];
    const note =
      "Sessions with another threshold or maximum heart rate are in no mean, best value or normal range: High-speed distance: Kunz (4).";
    const { stdout, stderr } = await asi([...args, "--format", "csv"]);
    expect(stderr).toBe(`${note}\n`);
    const rows = tableOf(stdout);
    expect(rows.map((row) => row.high_speed_from_m_per_s)).toEqual(["5.5", "5.5", "5.5", "5.5", "4.5"]);
    const of = (key: string) => rows.map((row) => row[`${key}_percent_of_last_5_matches`]);
    expect([of("high_speed_m").at(-1), of("distance_m").at(-1)]).toEqual(["", "100"]);
    const text = (await asi(args)).stdout;
    expect(text).toContain(`${note}\n`);
    const line = (name: string) => text.split("\n").find((one) => one.startsWith(name));
    const fast = rows.at(-1)?.high_speed_m ?? "";
    expect(Number(fast)).toBeGreaterThan(8000);
    expect(line("Mean of 5 sessions")).toContain(
      ` ${Number(fast).toLocaleString("en", { maximumFractionDigits: 0 })} `,
    );
    expect((await asi([...args, "--format", "html"])).stdout).toContain(note);
    const loads = await asi([...args, "--load", "high-speed"]);
    // the days begin with the new threshold
    expect(loads.stdout).toMatch(/28 days – \(unknown before the 28th day\), week –/);
  });

  it("are those in which a player seems to be on the bench, by the rule of the table", async () => {
    const season = join(scratchFolder(), "season");
    const match = join(season, "match");
    await asi(["encode", "--demo", "--squad", "14", "-o", match]);
    const periods = readFileSync(join(match, "periods.csv"), "utf8").split("\n");
    // only the rows for all players, whose last cell is empty
    const forAll = periods.filter((line, i) => i === 0 || /,\r?$/.test(line));
    writeFileSync(join(match, "periods.csv"), forAll.join("\n"));
    const table = tableOf((await asi(["squad", match, "--format", "csv"])).stdout).filter(
      ({ period }) => period === "Match",
    );
    const share = ({ bench_minutes = "", period_minutes = "" }: Record<string, string>) =>
      Number((Number(bench_minutes) / Number(period_minutes)).toFixed(3));
    const { stdout, stderr } = await asi(["squad", season, "--by", "player", "--format", "csv"]);
    const rows = tableOf(stdout);
    expect(new Map(rows.map((row) => [row.player, Number(row.share_on_bench)]))).toEqual(
      new Map(table.map((row) => [row.player, share(row)])),
    );
    const onBench = rows.filter((row) => Number(row.share_on_bench) > 0.1).map(({ player }) => player);
    expect(onBench.length).toBeGreaterThan(2);
    const note = `Figures with more than 10 % of the time on the bench count in no mean and no normal range: match (${onBench.join(", ")}). Add the times of substitutes to the periods.`;
    expect(stderr).toContain(note);
    const { stdout: text } = await asi(["squad", season, "--by", "player"]);
    const sections = text.split("\n\n").filter((part) => onBench.some((name) => part.includes(` ${name}`)));
    expect(sections.filter((part) => part.includes("Mean of 0 sessions"))).toHaveLength(onBench.length);
  });

  it("include training sessions that are matches only by their lengths, which a note names, unless names say otherwise", async () => {
    const note = "round 1, round 2: Match is the sum of two periods without names of halves.\n";
    const drills = await seasonFolder(2, ["Passing", "Small games"]);
    const run = (season: string, ...more: string[]) => asi(["squad", season, "--by", "player", ...more]);
    // also from the cache
    for (const more of [[], ["--cache"], ["--cache"]]) {
      expect((await run(drills, ...more)).stdout).toContain(note);
      expect((await run(drills, ...more, "--format", "csv")).stderr).toBe(note);
    }
    const chosen = await run(drills, "--matches", "match*", "--format", "csv");
    expect([chosen.stderr, tableOf(chosen.stdout).map(({ kind }) => kind)]).toEqual([
      "",
      ["training", "training"],
    ]);
    expect((await run(await seasonFolder(1, ["1. Halbzeit", "2. Halbzeit"]))).stderr).toBe("");
    const named = await run(await seasonFolder(1, ["Drill 1", "Small games"]), "--format", "csv");
    expect([named.stderr, tableOf(named.stdout).map(({ kind }) => kind)]).toEqual(["", ["training"]]);
  });

  it("include sessions with two long suggested periods, which one message names", async () => {
    const season = join(scratchFolder(), "season");
    await asi(["encode", "--demo", "--squad", "11", "-o", join(season, "match")]);
    rmSync(join(season, "match", "periods.csv"));
    const message =
      'match: taken for matches, because two suggested periods last from 30 to 70 minutes. To choose the folders of matches, add --matches, such as --matches "match*"\n';
    const run = (...more: string[]) => asi(["squad", season, "--by", "player", ...more]);
    expect((await run()).stderr).toContain(message);
    expect((await run("--matches", "match*")).stderr).not.toContain("taken for matches");
  });
});
