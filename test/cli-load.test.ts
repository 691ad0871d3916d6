import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asi, namesIn, scratchFolder } from "./asi-process.js";

const demo = (folder: string, start: string, duration = "1min") =>
  asi([
    "encode",
    "--demo",
    "--start",
    start,
    "--duration",
    duration,
    "-o",
    join(folder, `${start.replaceAll(":", "")}.asi`),
  ]);

describe("asi load", () => {
  test("reports which rows are too fast to count", async () => {
    const cwd = scratchFolder();
    const rows = Array.from({ length: 60 }, (_, i) => `${1717236000 + i},47,8.5,400,${i < 30 ? 5 : 20},120`);
    writeFileSync(join(cwd, "a.csv"), ["timestamp,latitude,longitude,altitude,speed,hr", ...rows].join("\n"));
    await asi(["encode", "a.csv", "--serial", "A1", "-o", "a.asi"], { cwd });
    for (const of of ["distance", "high-speed"]) {
      expect((await asi(["load", "a.asi", "--of", of], { cwd })).stderr).toBe(
        "a.asi: not in the load: 30 rows (30.0 s) faster than 45.0 km/h. Is the sport correct? See --sport.\n",
      );
    }
    const heart = ["--of", "trimp-edwards", "--max-hr", "190"];
    expect((await asi(["load", "a.asi", ...heart], { cwd })).stderr).toBe("");
  });

  test("counts a recording and its copy as one, and reports the copy", async () => {
    const cwd = scratchFolder();
    await demo(cwd, "2025-05-17T08:00:00Z");
    const one = await asi(["load", "."], { cwd });
    const [name = ""] = namesIn(cwd);
    copyFileSync(join(cwd, name), join(cwd, `b ${name}`));
    const both = await asi(["load", "."], { cwd });
    expect(both.stdout).toBe(one.stdout);
    expect(both.stderr).toBe(`b ${name} has the same content as ${name} and is ignored\n`);
  });

  describe("reports a recording that is not one session:", () => {
    const write = async (cwd: string, name: string, seconds: readonly number[]) => {
      const rows = seconds.map((second) => `${1717236000 + second},47,8.5,400,3,`);
      const lines = ["timestamp,latitude,longitude,altitude,speed,hr", ...rows];
      writeFileSync(join(cwd, "rows.csv"), lines.join("\n"));
      await asi(["encode", "rows.csv", "--serial", "A1", "-o", name], { cwd });
    };
    const minute = (from: number) => Array.from({ length: 60 }, (_, i) => from + i);

    test("the load of a day includes rows from two days", async () => {
      const cwd = scratchFolder();
      await write(cwd, "two.asi", [...minute(0), ...minute(86_400)]);
      await write(
        cwd,
        "late.asi",
        Array.from({ length: 20 }, (_, i) => 50_000 + i * 60),
      );
      expect((await asi(["load", "two.asi"], { cwd })).stderr).toBe(
        "two.asi has rows of 2024-06-01 and 2024-06-02, and all of them are included in the load of 2024-06-01. Split the recording with asi convert --from and --to, and asi encode\n",
      );
      expect((await asi(["load", "late.asi"], { cwd })).stderr).toBe("");
    });

    test("the recording overlaps another one of its device", async () => {
      const cwd = scratchFolder();
      await write(cwd, "a.asi", minute(0));
      await write(cwd, "b.asi", minute(30));
      await write(cwd, "c.asi", minute(100));
      expect((await asi(["load", "a.asi", "b.asi", "c.asi"], { cwd })).stderr).toBe(
        "b.asi has rows at the same times as a.asi, and both are included in the load. Remove one of them\n",
      );
    });
  });

  test("adds up the recordings of a day, counts rest days, and separates devices", async () => {
    const folder = scratchFolder();
    // 23:30 UTC is the next day in Zurich
    for (const start of ["2025-05-17T08:00:00Z", "2025-05-17T10:00:00Z", "2025-05-18T23:30:00Z"]) {
      await demo(folder, start);
    }
    const { status, stdout } = await asi(["load", folder, "--tz", "Europe/Zurich", "--json"]);
    expect(status).toBe(0);
    const days = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(days.map(({ serial, day }) => [serial, day])).toEqual([
      ["DEMO-0001", "2025-05-17"],
      ["DEMO-0001", "2025-05-18"],
      ["DEMO-0001", "2025-05-19"],
    ]);
    const one = JSON.parse(
      (await asi(["stats", join(folder, "2025-05-18T233000Z.asi"), "--json"])).stdout,
    ).metrics;
    expect(days[1].load).toBe(0);
    expect(days[2].load).toBe(one.total_distance);
    expect(days[0].load).toBeCloseTo(2 * one.total_distance, 3);
    const text = (await asi(["load", folder, "--of", "trimp-edwards", "--max-hr", "190", "--ratio"])).stdout;
    expect(text).toMatch(/^DEMO-0001, trimp-edwards\n {2}day +load +7 days/);
    expect(text).toMatch(/no causal link to injury has been shown/);
    const json = await asi(["load", folder, "--ratio", "--json"]);
    expect(json.stderr).toMatch(/no causal link to injury has been shown/);
  });

  test("reports that a recording without heart rate has no TRIMP", async () => {
    const cwd = scratchFolder();
    const rows = Array.from({ length: 60 }, (_, i) => `${1717236000 + i},47,8.5,400,5`);
    writeFileSync(join(cwd, "a.csv"), ["timestamp,latitude,longitude,altitude,speed", ...rows].join("\n"));
    await asi(["encode", "a.csv", "--serial", "A1", "-o", "a.asi"], { cwd });
    const { stderr } = await asi(["load", "a.asi", "--of", "trimp-edwards", "--max-hr", "190"], { cwd });
    expect(stderr).toBe("a.asi: no heart rate, so the load of 2024-06-01 is unknown\n");
  });

  test("has no TRIMP, instead of a part of it, if a strap failed", async () => {
    const cwd = scratchFolder();
    const rows = Array.from(
      { length: 601 },
      (_, i) => `${1717236000 + i},47,8.5,400,5,${i < 290 ? 150 : ""}`,
    );
    writeFileSync(join(cwd, "a.csv"), ["timestamp,latitude,longitude,altitude,speed,hr", ...rows].join("\n"));
    await asi(["encode", "a.csv", "--serial", "A1", "-o", "a.asi"], { cwd });
    const load = (...args: string[]) => asi(["load", "a.asi", "--json", ...args], { cwd });
    const { stdout, stderr } = await load("--of", "trimp-edwards", "--max-hr", "190");
    expect(JSON.parse(stdout).load).toBeNull();
    expect(stderr).toBe(
      "a.asi: a heart rate in only 49 % of the time, so the load of 2024-06-01 is unknown\n",
    );
    expect(JSON.parse((await load()).stdout).load).toBe(3000);
  });

  test("computes Lucia's TRIMP from two thresholds", async () => {
    const cwd = scratchFolder();
    const rows = Array.from(
      { length: 601 },
      (_, i) => `${1717236000 + i},47,8.5,400,3,${i < 300 ? 140 : 165}`,
    );
    writeFileSync(join(cwd, "a.csv"), ["timestamp,latitude,longitude,altitude,speed,hr", ...rows].join("\n"));
    await asi(["encode", "a.csv", "--serial", "A1", "-o", "a.asi"], { cwd });
    const args = ["load", "a.asi", "--of", "trimp-lucia"];
    const { stdout } = await asi([...args, "--hr-thresholds", "150,170", "--json"], { cwd });
    // 5 min below the first threshold, and 5 min between both
    expect(JSON.parse(stdout).load).toBe(15);
    for (const [thresholds, reason] of [
      [[], /--of trimp-lucia needs --hr-thresholds/],
      [["--hr-thresholds", "170,150"], /The thresholds must be in ascending order/],
      [["--hr-thresholds", "150"], /two heart rates in bpm/],
      [["--hr-thresholds", "150,170", "--max-hr", "190"], /--max-hr has no effect/],
    ] as const) {
      const { status, stderr } = await asi([...args, ...thresholds], { cwd });
      expect([status, stderr]).toEqual([2, expect.stringMatching(reason)]);
    }
  });

  test("multiplies ratings by the recorded minutes, and reports recordings without a rating", async () => {
    const cwd = scratchFolder();
    await demo(cwd, "2025-05-17T08:00:00Z", "10min");
    await demo(cwd, "2025-05-18T08:00:00Z", "10min");
    const [first = "", second = ""] = namesIn(cwd);
    writeFileSync(join(cwd, "ratings.csv"), `file;rpe\n${first.toUpperCase()};6,5\n`);
    const args = ["load", first, second, "--of", "rpe"];
    const { stdout, stderr } = await asi([...args, "--rpe", "ratings.csv", "--json"], { cwd });
    const loads = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).load);
    expect(loads).toEqual([expect.closeTo(6.5 * 10, 0), null]);
    expect(stderr).toBe(`${second}: no rating in ratings.csv, so the load of 2025-05-18 is unknown\n`);
    writeFileSync(join(cwd, "wrong.csv"), `file,rpe\n${first},11\n,3\n`);
    const wrong = await asi([...args, "--rpe", "wrong.csv"], { cwd });
    expect([wrong.status, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/line 2: The rating "11" is invalid.*\n.*line 3: The row has no file/),
    ]);
    const without = await asi(args, { cwd });
    expect([without.status, without.stderr]).toEqual([2, expect.stringMatching(/--of rpe needs --rpe/)]);
  });

  test("refuses a rating that several recordings of the same name would share", async () => {
    const cwd = scratchFolder();
    for (const player of ["ann", "bea"]) {
      const folder = join(cwd, "season", player);
      mkdirSync(folder, { recursive: true });
      await demo(folder, "2025-05-17T08:00:00Z");
    }
    const name = "2025-05-17T080000Z.asi";
    writeFileSync(join(cwd, "r.csv"), `file,rpe\n${name},6\n`);
    const both = await asi(["load", "season", "--of", "rpe", "--rpe", "r.csv"], { cwd });
    const paths = ["ann", "bea"].map((player) => join("season", player, name)).join(", ");
    expect(both).toMatchObject({ status: 2, stdout: "" });
    expect(both.stderr).toContain(
      `The rating of ${name} in r.csv is for 2 recordings of this name: ${paths}.`,
    );
    const one = await asi(["load", join("season", "ann"), "--of", "rpe", "--rpe", "r.csv"], { cwd });
    expect(one).toMatchObject({ status: 0, stderr: "" });
  });

  test("reports ratings of recordings that are not among the inputs", async () => {
    const cwd = scratchFolder();
    await demo(cwd, "2025-05-17T08:00:00Z");
    const [name = ""] = namesIn(cwd);
    writeFileSync(join(cwd, "r.csv"), `file,rpe\n${name},6\nMatch.asi,4\n`);
    const { status, stderr } = await asi(["load", name, "--of", "rpe", "--rpe", "r.csv"], { cwd });
    expect([status, stderr]).toEqual([
      0,
      "r.csv has ratings of recordings that are not among the inputs: Match.asi\n",
    ]);
  });

  test("reports which option a TRIMP requires, before it reads the inputs", async () => {
    const { status, stderr } = await asi(["load", "none.asi", "--of", "trimp-banister", "--max-hr", "190"]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/--of trimp-banister needs --rest-hr/)]);
  });
});
