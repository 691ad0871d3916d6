import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newScratchFolder } from "./scratch.js";

const STARTER = join(import.meta.dirname, "server-key-starter.ts");

/** Starts a process that is ready to read the keys in folders. */
async function starter(): Promise<ChildProcess> {
  const child = fork(STARTER, { execArgv: ["--import", import.meta.resolve("tsx")] });
  await once(child, "message");
  return child;
}

describe("the server key", () => {
  it("is created once when several processes start on a new folder at the same time", async () => {
    const dataDirs = Array.from({ length: 200 }, newScratchFolder);
    const processes = await Promise.all([starter(), starter(), starter()]);
    const answers = processes.map((child) => once(child, "message"));
    for (const child of processes) child.send(dataDirs);
    const [first, ...others] = (await Promise.all(answers)).map(([keys]) => keys);
    expect(first).toHaveLength(dataDirs.length);
    for (const keys of others) expect(keys).toEqual(first);
    for (const dataDir of dataDirs) {
      expect(readdirSync(dataDir)).toEqual(["server.key"]);
      expect(statSync(join(dataDir, "server.key")).mode & 0o777).toBe(0o600);
    }
  });
});
