import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeSync } from "../src/index.js";
import { computeMetrics, individualZones } from "../src/metrics/index.js";
import { asi } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { folderOfTraining } from "./training-folder.js";

/** Ten minutes at constant speeds: 5 m/s of Vogel, 8 m/s of Kunz, and 8 m/s of Graf, whose speeds are unknown. */
const training = (columns = "max_speed (km/h);aerobic_speed (m/s)", vogel = "28,8;4", kunz = "36;4,5") =>
  folderOfTraining([5, 8, 8], {
    roster: [`player;serial;${columns}`, `Vogel;TRK-1;${vogel}`, `Kunz;TRK-2;${kunz}`, "Graf;TRK-3;;"],
    periods: ["period;start;end", "Drill;14:31;14:34"],
  });
const asCsv = ["--tz", "Europe/Zurich", "--format", "csv"];

describe("asi squad --individual-zones", () => {
  it.each([
    ["mss", { mss: 8 }],
    ["asr", { mss: 8, mas: 4 }],
  ] as const)(
    "prints the digits of computeMetrics with the zones of the player: %s",
    async (kind, speeds) => {
      const folder = await training();
      const { stdout } = await asi(["squad", folder, "--individual-zones", kind, ...asCsv]);
      const { samples } = decodeSync(readFileSync(join(folder, "1.asi")));
      const zones = individualZones(kind, speeds);
      const of = (limits: object) => computeMetrics(samples, { params: zones, ...limits });
      const from = Date.UTC(2026, 4, 16, 12, 31);
      const rows = tableOf(stdout).filter(({ player }) => player === "Vogel");
      expect(rows).toHaveLength(2);
      for (const [i, metrics] of [of({}), of({ from, to: from + 180_000 - 1 })].entries())
        expect(rows[i]).toMatchObject({
          high_speed_m: String(metrics.hid_distance.threshold_2),
          sprints: String(metrics.sprint.threshold_1.values.length),
          sprint_m: String(metrics.sprint_distance),
          high_speed_from_m_per_s: String(zones.hid_thresholds?.[1]),
          sprint_from_m_per_s: String(zones.sprint_threshold),
        });
    },
  );

  it("leaves the zone figures empty for a player without speeds, because a table never mixes fixed and individual limits", async () => {
    const args = ["squad", await training(), "--individual-zones", "mss", "--peaks", ...asCsv];
    const { stdout, stderr } = await asi(args);
    const graf = tableOf(stdout).find(({ player }) => player === "Graf");
    expect(graf).toMatchObject({
      distance_m: "4792",
      high_speed_m: "",
      sprints: "",
      sprint_m: "",
      high_speed_from_m_per_s: "",
      sprint_from_m_per_s: "",
      peak_60s_high_speed_m: "",
      peak_60s_high_speed_m_start: "",
    });
    expect(Number(graf?.peak_60s_distance_m)).toBeCloseTo(480, 0);
    const kunz = tableOf(stdout).find(({ player }) => player === "Kunz");
    expect(kunz?.peak_60s_high_speed_m).toBe(kunz?.peak_60s_distance_m);
    expect(stderr).toMatch(/no max_speed for Graf: they have no high-speed distance and no sprints/);
  });

  it("shows the limits in a report; pages of players without speeds have no figures by speed", async () => {
    const folder = await training();
    const { stdout } = await asi(["squad", folder, "--individual-zones", "mss", "--format", "html"]);
    const [vogel = "", graf = ""] = ["Vogel", "Graf"].map(
      (name) =>
        new RegExp(`<section class="player-page"[^>]*><h2>${name}.*?</section>`, "s").exec(stdout)?.[0],
    );
    expect(vogel).toContain("By speed");
    expect(vogel).toContain("dashed: sprint");
    expect(graf).toContain(
      "No figures by speed: the roster does not contain the speeds from which the limits of this player are computed.",
    );
    expect(graf).not.toMatch(/By speed|Sprints:|dashed: sprint/);
    expect(stdout).toContain(
      "High speed and sprints by individual limits, from maximum speed (mss); players without these speeds have no such figures; accelerations",
    );
  });

  it("changes nothing without the option", async () => {
    const [withSpeeds, without] = await Promise.all(
      [training(), training("club;town", "A;B", "A;B")].map(
        async (folder) => (await asi(["squad", await folder, ...asCsv])).stdout,
      ),
    );
    expect(withSpeeds).toMatch(/Vogel/);
    expect(withSpeeds).toBe(without);
  });

  it("applies to a season", async () => {
    const folder = await training();
    const args = ["squad", join(folder, ".."), "--by", "player", "--format", "csv"];
    const rows = tableOf((await asi([...args, "--individual-zones", "mss"])).stdout);
    expect(rows.map(({ player, sprints }) => [player, sprints])).toEqual([
      ["Graf", ""],
      ["Kunz", "1"],
      ["Vogel", "0"],
    ]);
  });

  it.each([
    [
      "a speed that no person can reach",
      "36 m/s;4",
      /roster\.csv, line 2: max_speed is "36 m\/s"; it must be from 1 to 13/,
    ],
    ["an aerobic speed above the maximum", "18;6", /line 2: aerobic_speed is not below max_speed for Vogel/],
  ])("refuses %s, with the line", async (_, vogel, message) => {
    const folder = await training(undefined, vogel);
    const { status, stderr } = await asi(["squad", folder, "--individual-zones", "asr"]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  it("refuses a fixed limit together with the option", async () => {
    const args = ["squad", await training(), "--individual-zones", "mss", "--sprint", "25km/h"];
    const { status, stderr } = await asi(args);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/--sprint sets fixed limits/)]);
  });
});

describe("asi stats --individual-zones", () => {
  const stats = async (folder: string, ...args: string[]) =>
    asi(["stats", folder, "--roster", join(folder, "roster.csv"), "--individual-zones", "mss", ...args]);

  it("prints the digits of computeMetrics with the zones of the player, and fails for players without speeds", async () => {
    const folder = await training();
    const { status, stdout, stderr } = await stats(folder, "--json");
    const found = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { samples } = decodeSync(readFileSync(join(folder, "1.asi")));
    const expected = computeMetrics(samples, { params: individualZones("mss", { mss: 8 }) });
    expect(found.find(({ player }) => player === "Vogel").metrics).toEqual(
      JSON.parse(JSON.stringify(expected)),
    );
    expect(status).toBe(1);
    expect(found.at(-1)).toMatchObject({
      error: { code: "NO_ZONES", message: expect.stringMatching(/^The roster has no max_speed for Graf/) },
    });
    // Graf has a recording
    expect(stderr).toBe("");
  });

  it("refuses fixed limits, and a table, because its zones are the same for all players", async () => {
    const folder = await training();
    for (const [args, message] of [
      [["--format", "csv"], /use asi squad --individual-zones/],
      [["--sprint", "25km/h"], /--sprint sets fixed limits/],
    ] as const) {
      const { status, stderr } = await stats(folder, ...args);
      expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
    const { status, stderr } = await asi(["stats", folder, "--individual-zones", "mss"]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/add --roster/)]);
  });
});
