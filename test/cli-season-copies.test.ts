import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encode } from "../src/recording/encode.js";
import { asi, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { wholeBytes } from "./whole.js";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 3, 12, 13);

/** A row each second, at 3 m/s. */
function recording(serial: string, startMs: number, seconds: number): Promise<Uint8Array> {
  const rows = Array.from({ length: seconds }, (_, second) => ({
    timestamp: startMs + second * 1000,
    latitude: 46.9629,
    longitude: 7.4648,
    speed: 3,
  }));
  return wholeBytes(encode(rows, { serial }));
}

/** Two training sessions of Kunz and Lang. */
async function seasonFolder(): Promise<string> {
  const season = join(scratchFolder(), "season");
  for (const day of [1, 2]) {
    mkdirSync(join(season, `m${day}`), { recursive: true });
    for (const serial of ["TRK-1", "TRK-2"]) {
      const bytes = await recording(serial, START_MS + day * DAY_MS, 600);
      writeFileSync(join(season, `m${day}`, `${serial}.asi`), bytes);
    }
  }
  writeFileSync(join(season, "roster.csv"), "player;serial\nKunz;TRK-1\nLang;TRK-2\nRoth;TRK-3\n");
  return season;
}

async function seasonIn(folder: string, ...more: string[]) {
  const args = ["squad", folder, "--by", "player", "--format", "csv", ...more];
  const { status, stdout, stderr } = await asi(args);
  return { status, stdout, stderr };
}

const sessionsOf = (csv: string) => tableOf(csv).map(({ player, session }) => [player, session]);

describe("asi squad --by player with copies of recordings", () => {
  it("counts a copied session once and names the copies, also with the cache", async () => {
    const season = await seasonFolder();
    const plain = await seasonIn(season);
    cpSync(join(season, "m2"), join(season, "m2 (1)"), { recursive: true });
    for (const more of [[], ["--cache"], ["--cache"], ["--jobs", "2"]]) {
      const { status, stdout, stderr } = await seasonIn(season, ...more);
      expect([status, stdout], more.join(" ")).toEqual([0, plain.stdout]);
      for (const serial of ["TRK-1", "TRK-2"])
        expect(stderr).toContain(
          `${join(season, "m2 (1)", `${serial}.asi`)} has the same content as ${join(season, "m2", `${serial}.asi`)} and is ignored`,
        );
    }
  });

  it("counts a recording in the folders of two teams once, and keeps the other players of the second team", async () => {
    const season = await seasonFolder();
    mkdirSync(join(season, "u19"));
    cpSync(join(season, "m2", "TRK-1.asi"), join(season, "u19", "Kunz.asi"));
    const roth = await recording("TRK-3", START_MS + 2 * DAY_MS, 500);
    writeFileSync(join(season, "u19", "TRK-3.asi"), roth);
    for (const more of [[], ["--cache"], ["--cache"]]) {
      const { status, stdout, stderr } = await seasonIn(season, ...more);
      expect(status).toBe(0);
      expect(sessionsOf(stdout)).toEqual([
        ["Kunz", "m1"],
        ["Kunz", "m2"],
        ["Lang", "m1"],
        ["Lang", "m2"],
        ["Roth", "u19"],
      ]);
      expect(stderr).toContain(
        `${join(season, "u19", "Kunz.asi")} has the same content as ${join(season, "m2", "TRK-1.asi")} and is ignored`,
      );
    }
  });

  it("counts copies once with the cache of a command that gave the folder another name", async () => {
    const season = await seasonFolder();
    const plain = await seasonIn(season);
    cpSync(join(season, "m2"), join(season, "m2 (1)"), { recursive: true });
    await seasonIn(season, "--cache");
    const args = ["squad", ".", "--by", "player", "--format", "csv", "--cache"];
    const { stdout, stderr } = await asi(args, { cwd: season });
    expect(stdout).toBe(plain.stdout);
    expect(stderr).toContain(
      `${join("m2 (1)", "TRK-1.asi")} has the same content as ${join("m2", "TRK-1.asi")}`,
    );
    expect(stderr).not.toContain("both are included");
  });

  it("keeps a session whose periods name the player of an ignored copy", async () => {
    const season = await seasonFolder();
    // Without a roster, players have the names of their files.
    rmSync(join(season, "roster.csv"));
    mkdirSync(join(season, "u19"));
    cpSync(join(season, "m2", "TRK-1.asi"), join(season, "u19", "Kunz.asi"));
    writeFileSync(join(season, "u19", "Roth.asi"), await recording("TRK-3", START_MS + 2 * DAY_MS, 500));
    const periods = "period;start;end;player\nDrill;13:00:00;13:05:00;\nDrill;13:00:00;13:02:00;Kunz\n";
    writeFileSync(join(season, "u19", "periods.csv"), periods);
    const { status, stdout, stderr } = await seasonIn(season);
    expect([status, stderr]).toEqual([0, expect.not.stringContaining("No recording belongs")]);
    expect(sessionsOf(stdout)).toContainEqual(["Roth", "u19"]);
  });

  it("names recordings of a player in two folders that have rows at the same times", async () => {
    const season = await seasonFolder();
    mkdirSync(join(season, "part"));
    const part = await recording("TRK-1", START_MS + 2 * DAY_MS + 60_000, 300);
    writeFileSync(join(season, "part", "Kunz.asi"), part);
    const { status, stderr } = await seasonIn(season);
    expect(status).toBe(0);
    expect(stderr).toContain(
      `${join(season, "part", "Kunz.asi")} has rows at the same times as ${join(season, "m2", "TRK-1.asi")}, and both are included in the season of Kunz. Remove one of them\n`,
    );
    // the two players of a session have rows at the same times
    expect(stderr).not.toContain("Lang");
  });
});
