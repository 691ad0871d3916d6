/** Tests that the commands in docs/sessions.md run unchanged, from files to the table of a session and the season. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { withOwnService } from "./file-service.js";
import { managingManager } from "./people.js";
import { recordingOf, rowAt } from "./recordings.js";
import { newScratchFolder } from "./scratch.js";

const it = withOwnService();
const run = promisify(execFile);

const document = readFileSync(new URL("../../docs/sessions.md", import.meta.url), "utf8");
const [, commands = ""] = /```sh\n(.*?)```/s.exec(document) ?? [];
const [before = "", after = ""] = commands.split("# after these jobs\n");

const START_MS = Date.parse("2024-06-01T13:00:00.000Z");

describe("the commands in docs/sessions.md", () => {
  it("lead from recordings, roster.csv and periods.csv to the table of a session and the season", async ({
    service: s,
  }) => {
    const manager = await managingManager({}, "", s);
    const folder = newScratchFolder();
    const roster = ["player,serial,number"];
    for (const [number, player] of ["Ann", "Bob"].entries()) {
      const device = await s.longOwned(manager);
      const rows = Array.from({ length: 18_000 }, (_, i) => ({
        ...rowAt(START_MS + i * 100),
        speed: number + 1,
      }));
      writeFileSync(join(folder, `${number + 1}.asi`), await recordingOf(device.serial_number, rows));
      roster.push(`${player},${device.serial_number},${number + 1}`);
    }
    writeFileSync(join(folder, "roster.csv"), `${roster.join("\n")}\n`);
    writeFileSync(
      join(folder, "periods.csv"),
      "period,start,end\n1st half,13:00,13:10\n2nd half,13:20,13:30\n",
    );
    const env = { ...process.env, API: s.service.url ?? "", AUTH: `Authorization: Bearer ${manager.token}` };
    const bash = (text: string) => run("bash", ["-euo", "pipefail", "-c", text], { cwd: folder, env });

    await bash(`${before}\ndeclare -p JSON CSV SQUAD > values\ndeclare -f id >> values`);
    await s.runJobs();
    await bash(`. ./values\n${after}`);

    const [head = "", ...rows] = readFileSync(join(folder, "figures.csv"), "utf8").trim().split("\n");
    const columns = head.split(",");
    const cells = rows.map((row) => {
      const values = row.split(",");
      return ["player", "period", "distance_m"].map((name) => values[columns.indexOf(name)]);
    });
    expect(cells).toEqual([
      ["Ann", "session", "1799.9"],
      ["Ann", "1st half", "599.9"],
      ["Ann", "2nd half", "599.9"],
      ["Bob", "session", "3599.8"],
      ["Bob", "1st half", "1199.8"],
      ["Bob", "2nd half", "1199.8"],
    ]);
    const season = JSON.parse(readFileSync(join(folder, "season.json"), "utf8"));
    expect(season.players.map(({ player }: { player: string }) => player)).toEqual(["Ann", "Bob"]);
  });
});
