/**
 * Tests that the program in docs/warehouse.md runs unchanged, loads all data, follows the changes, and begins again after a
 * restore.
 */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { canRun } from "../../test/documented-programs.js";
import { commands } from "../src/operator/commands.js";
import { earlierTransactionsEnded } from "./earlier-transactions.js";
import { withOwnService } from "./file-service.js";
import { newScratchFolder } from "./scratch.js";
import type { TestService } from "./service.js";
import { SquadScene } from "./squad-scene.js";

const it = withOwnService();

const [, program = ""] =
  /```python\n(.*?)```/s.exec(readFileSync(new URL("../../docs/warehouse.md", import.meta.url), "utf8")) ??
  [];

/** Runs the program in a folder. @returns its output */
async function run(s: TestService, token: string, folder: string): Promise<string> {
  await earlierTransactionsEnded(s);
  const { stdout, stderr } = await start(s, token, folder);
  expect(stderr).toBe("");
  return stdout;
}

async function start(s: TestService, token: string, folder: string) {
  writeFileSync(join(folder, "warehouse.py"), program);
  const env = { ...process.env, ASI_SERVICE: s.service.url ?? "", ASI_TOKEN: token };
  const child = spawn("/usr/bin/python3", ["warehouse.py"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr };
}

describe("the program in docs/warehouse.md", () => {
  it.skipIf(!canRun("python"))(
    "prints the same output as a program that reads all data",
    async ({ service: s }) => {
      const scene = await SquadScene.of(s, ["Ann", "Bob"]);
      const [ann, bob] = scene.players;
      if (ann === undefined || bob === undefined) throw new Error("No players");
      await scene.run(ann.device, 0, 10);
      await scene.session();
      const token = await s.personalToken(scene.manager, "samples:read", "sessions:read");
      const folder = newScratchFolder();
      const anew = () => run(s, token, newScratchFolder());
      expect(await run(s, token, folder)).toBe("Ann 1800.0\nBob None\n2024-06-01 6000 3.0\n");

      await scene.run(bob.device, 0, 5, 4000);
      await scene.session({
        name: "Late",
        start_time: "2024-06-01T15:00:00.000Z",
        end_time: "2024-06-01T16:00:00.000Z",
      });
      const later = await run(s, token, folder);
      expect(later).toContain("Bob 1200.0\n2024-06-01 9000 4.0\n");
      expect(later).toBe(await anew());

      await commands["athlete erase"](s.ctx, { id: String(ann.athlete), samples: true, yes: true });
      const erased = await run(s, token, folder);
      expect(erased).toBe("Bob 1200.0\n2024-06-01 3000 4.0\n");
      expect(erased).toBe(await anew());

      await s.store.database.queries.execute(sql`UPDATE change_epochs SET history = 'another'`);
      expect(await run(s, token, folder)).toBe(erased);
    },
  );

  it.skipIf(!canRun("python"))("names the missing scopes of a token", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    await scene.session();
    for (const scopes of [["sessions:read"], ["samples:read"]] as const) {
      const token = await s.personalToken(scene.manager, ...scopes);
      const { stderr } = await start(s, token, newScratchFolder());
      expect(stderr).toMatch(/^The token needs the scopes samples:read and sessions:read: /);
      expect(stderr).not.toContain("Traceback");
    }
  });
});
