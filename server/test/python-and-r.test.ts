/** Tests that the service examples in docs/python.md and docs/r.md run against a service, and print its figures and samples. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect } from "vitest";
import { blocksOf, canRun, commandOf, LANGUAGES, type Language } from "../../test/documented-programs.js";
import { withOwnService } from "./file-service.js";
import { newScratchFolder } from "./scratch.js";
import { SquadScene } from "./squad-scene.js";

const it = withOwnService();

/** Returns the program in a document that reads a session from a service. */
function programOf(language: Language, session: number): string {
  const [program = ""] = blocksOf(language, "A service", language);
  return program.replaceAll("/sessions/1/", `/sessions/${session}/`);
}

describe.for(LANGUAGES.map((language) => [language, canRun(language)] as const))("%s", ([language, can]) => {
  it.skipIf(!can)("reads the figures and the samples of a session", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann", "Bob"]);
    const [ann, bob] = scene.players;
    if (ann === undefined || bob === undefined) throw new Error("No players");
    await scene.run(ann.device, 0, 10);
    await scene.run(bob.device, 0, 5, 4000);
    const folder = newScratchFolder();
    const program = programOf(language, await scene.session());
    const [command, args] = commandOf(language, program, folder);
    const token = await s.personalToken(scene.manager, "sessions:read", "samples:read");
    const env = { ...process.env, ASI_SERVICE: s.service.url ?? "", ASI_TOKEN: token };
    const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/Ann\b.*1799\.[67]/);
    expect(stdout).toMatch(/Bob\b.*1199\.[67]/);
    expect(stdout).toMatch(/Ann\b.* 3(\.0)? +150/);
    expect(stdout).toMatch(/Bob\b.* 4(\.0)? +150/);
    expect(stdout).toMatch(/2024-06-01 13:0/);
  });
});
