import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encode } from "../src/recording/encode.js";
import { asi, scratchFolder } from "./asi-process.js";
import { DAY_MS, recording, START_MS, seasonFolder } from "./cli-season-scene.js";
import { tableOf } from "./csv-table.js";
import { wholeBytes } from "./whole.js";

describe("asi squad --by player --load", () => {
  it("adds up the load of days and weeks, with the same digits as asi load", async () => {
    const season = join(scratchFolder(), "trainings");
    for (let day = 0; day < 9; day++) {
      mkdirSync(join(season, `day ${day}`), { recursive: true });
      const bytes = await recording("TRK-1", START_MS + day * DAY_MS, 300 + 60 * day, 2.5 + day / 10);
      writeFileSync(join(season, `day ${day}`, "a.asi"), bytes);
    }
    const { stdout: ofSeason } = await asi([
      "squad",
      season,
      "--by",
      "player",
      "--load",
      "distance",
      "--format",
      "csv",
    ]);
    const { stdout: ofDevice } = await asi(["load", season, "--json"]);
    const days = ofDevice
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(days).toHaveLength(9);
    expect(
      tableOf(ofSeason).map((row) =>
        [row.day_load, row.load_week_sum, row.load_monotony, row.load_strain].map(Number),
      ),
    ).toEqual(
      days.map(({ load, week_sum, monotony, strain }) => [load, week_sum, monotony, strain].map(Number)),
    );
    const { stdout: text } = await asi(["squad", season, "--by", "player", "--load", "distance"]);
    expect(text).toMatch(
      /^Load of distance on 2026-04-20, m: day [\d,]+\.\d \(– of a match\), 7 days –, 28 days – \(unknown before the 28th day\), week [\d,]+\.\d, monotony/m,
    );
  });

  it("draws the load of each player in the report, with the same values as the text", async () => {
    const season = await seasonFolder();
    const args = ["squad", season, "--by", "player", "--load", "distance"];
    const { stdout: html, status } = await asi([...args, "--format", "html"]);
    expect(status).toBe(0);
    const section = html.slice(html.indexOf('<section class="loads">'));
    const { stdout: text } = await asi(args);
    const [, lastDay] = /^Load of distance on (\S+), m:/m.exec(text) ?? [];
    expect(section).toContain(`<h2>Load on ${lastDay} <small>Distance, m; bars`);
    const loads = [
      ...text.matchAll(
        /m: day (\S+) \((.+) of a match\), 7 days (\S+), 28 days (\S+).*, week (\S+), monotony/g,
      ),
    ];
    expect(loads.length).toBeGreaterThan(1);
    for (const [, ...values] of loads)
      expect(section).toContain(values.map((value) => `<td>${value}</td>`).join(""));
    expect(section.match(/<path class="day" d="M/g)).toHaveLength(loads.length);
    expect((await asi(["squad", season, "--by", "player", "--format", "html"])).stdout).not.toContain(
      '<section class="loads">',
    );
  });

  it("has an unknown load, with the reason, for a day on which a tracker or a strap failed", async () => {
    const season = join(scratchFolder(), "season");
    const write = async (day: number, serial: string, seconds: number, heartS = seconds) => {
      const hr = (second: number) => (second < heartS ? 150 : 0);
      const bytes = recording(serial, START_MS + day * DAY_MS, seconds, 2, hr);
      mkdirSync(join(season, `day ${day}`), { recursive: true });
      writeFileSync(join(season, `day ${day}`, `${serial}.asi`), await bytes);
    };
    for (const day of [0, 1, 2]) await write(day, "TRK-2", 900);
    await write(0, "TRK-1", 900);
    // the tracker was empty after 400 of 900 s
    await write(1, "TRK-1", 400);
    await write(2, "TRK-1", 900, 450);
    writeFileSync(join(season, "roster.csv"), "player;serial;max_hr\nKunz;TRK-1;190\nLang;TRK-2;190\n");
    const reason =
      "a session lacks the figure or more than 10 % of its data, or is from before a change of the threshold or maximum heart rate";
    for (const [load, lost, days] of [
      ["distance", [false, true, false], "2026-04-13"],
      ["trimp", [false, true, true], "2026-04-13, 2026-04-14"],
    ] as const) {
      const args = ["squad", season, "--by", "player", "--load", load];
      const rows = tableOf((await asi([...args, "--format", "csv"])).stdout);
      const ofKunz = rows.filter(({ player }) => player === "Kunz");
      expect(ofKunz.map((row) => [row.day_load === "", row.day_load_reason])).toEqual(
        lost.map((isLost) => [isLost, isLost ? reason : ""]),
      );
      expect(ofKunz.map((row) => [row.share_with_data, row.share_with_hr])).toEqual([
        ["0.999", "1"],
        ["0.443", "1"],
        ["0.999", "0.505"],
      ]);
      expect(rows.filter((row) => row.player === "Lang" && row.day_load === "")).toEqual([]);
      const { stdout } = await asi([...args, "--columns", "distance,trimp"]);
      expect(stdout).toContain(`. No load on ${days}: ${reason}\n`);
      expect(stdout.split("No load on")).toHaveLength(2);
      // 15 minutes at 79 % of the maximum, zone 3
      expect(stdout).toMatch(/day 2 {2,}1,798 {2,}≥23 /);
      const html = (await asi([...args, "--format", "html"])).stdout;
      expect(html).toContain(`A day has no load if ${reason}.`);
    }
  });

  it("has a load that is too low, with the reason, for a day on which a player begins a little late", async () => {
    const season = join(scratchFolder(), "season");
    for (const [serial, seconds] of [
      ["TRK-1", 840],
      ["TRK-2", 900],
    ] as const) {
      mkdirSync(join(season, "day"), { recursive: true });
      writeFileSync(join(season, "day", `${serial}.asi`), await recording(serial, START_MS, seconds, 2));
    }
    const args = ["squad", season, "--by", "player", "--load", "distance"];
    const reason = "a lower bound, because 5 to 10 % of the data of a session are missing";
    const rows = tableOf((await asi([...args, "--format", "csv"])).stdout);
    expect(rows.map(({ day_load, day_load_reason }) => [day_load, day_load_reason])).toEqual([
      ["1678", reason],
      ["1798", ""],
    ]);
    const { stdout } = await asi(args);
    expect(stdout).toMatch(/: day ≥1,678\.0 .*\. Load of 2026-04-12: a lower bound, because/);
    const html = (await asi([...args, "--format", "html"])).stdout;
    expect(html).toContain("<td>≥1,678.0</td>");
    expect(html).toContain(`≥: ${reason}.`);
  });

  it("adds up the training impulse, with the same digits as asi load, and shows no load for a player without a maximum heart rate", async () => {
    const season = join(scratchFolder(), "season");
    const write = async (day: number, serial: string, hr: number) => {
      const rows = Array.from({ length: 601 + 60 * day }, (_, second) => ({
        timestamp: START_MS + day * DAY_MS + second * 1000,
        latitude: 46.9629,
        longitude: 7.4648,
        speed: 2,
        hr,
      }));
      const bytes = await wholeBytes(encode(rows, { serial }));
      mkdirSync(join(season, `day ${day}`), { recursive: true });
      writeFileSync(join(season, `day ${day}`, `${serial}.asi`), bytes);
    };
    for (let day = 0; day < 8; day++) await write(day, "TRK-1", 100 + 10 * day);
    for (let day = 0; day < 8; day++) await write(day, "TRK-2", 150);
    writeFileSync(join(season, "roster.csv"), "player;serial;max_hr\nKunz;TRK-1;190\nLang;TRK-2;\n");
    const args = ["squad", season, "--by", "player", "--load", "trimp"];
    const ofDevices = await asi(["load", season, "--of", "trimp-edwards", "--max-hr", "190", "--json"]);
    const days = ofDevices.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ serial }) => serial === "TRK-1");
    // on the first day 100 bpm, 53 % of the maximum, for 10 minutes; on the last day 170 bpm, 89 %, for 17 minutes
    expect([days.length, days[0].load, days[7].load]).toEqual([8, 10, 68]);
    const table = tableOf((await asi([...args, "--format", "csv"])).stdout);
    const of = (name: string) =>
      table
        .filter(({ player }) => player === name)
        .map((row) => [row.trimp, row.day_load, row.load_week_sum, row.load_strain]);
    const cell = (value: number | null) => (value === null ? "" : String(value));
    expect(of("Kunz")).toEqual(
      days.map(({ load, week_sum, strain }) => [load, load, week_sum, strain].map(cell)),
    );
    expect(of("Lang")).toEqual(Array(8).fill(["", "", "", ""]));
    const { stdout: text, stderr } = await asi([...args, "--columns", "trimp"]);
    // once, and not for each session
    expect(stderr.match(/no max_hr for Lang/g)).toHaveLength(1);
    const sum = days[7].week_sum.toFixed(1);
    expect(text).toContain(
      "Load of training impulse (Edwards) on 2026-04-19: day 68.0 (– of a match), 7 days –, 28 days – (unknown before the 28th day), week ",
    );
    expect(text).toContain(`week ${sum}, monotony`);
    expect(text).toContain("Load of training impulse (Edwards) on 2026-04-19: day – (");
    const { stdout: html } = await asi([...args, "--format", "html"]);
    expect(html).toContain("<h2>Load on 2026-04-19 <small>Training impulse (Edwards); bars");
    expect(html).toMatch(/Kunz<\/th>.*<td>68\.0<\/td>/);
    expect(html).toContain('<option value="trimp">Training impulse (Edwards)</option>');
  });

  it("refuses --load without --by player", async () => {
    const { status, stderr } = await asi(["squad", await seasonFolder(), "--load", "distance"]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/add --by player/)]);
  });
});
