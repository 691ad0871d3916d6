import { describe, expect, it } from "vitest";
import { runQuietly } from "../scripts/run-quietly.mjs";

/** Runs a script; returns its output and its status. */
async function run(script: string, options = {}): Promise<{ said: string; status: number }> {
  let said = "";
  const status = await runQuietly(["-e", script], options, (text: string) => {
    said += text;
  });
  return { said, status };
}

describe("a step of the build", () => {
  it("prints nothing, even if its tools do", async () => {
    expect(await run('console.log("dist/index.js 16 KB"); console.error("\\n\\n")')).toEqual({
      said: "",
      status: 0,
    });
  });

  it("prints its warnings completely", async () => {
    const script = 'console.log("dist/index.js 16 KB"); console.error("\\n WARN  a\\n\\n  at b.ts:1:1\\n")';
    expect(await run(script)).toEqual({ said: "WARN  a\n\n  at b.ts:1:1\n", status: 0 });
  });

  it("prints everything if it fails, and fails with the same status", async () => {
    const script = 'console.log("building"); console.error("Error: b.ts"); process.exitCode = 3';
    expect(await run(script)).toEqual({ said: "building\nError: b.ts\n", status: 3 });
  });

  it("fails if the command cannot be started", async () => {
    const { said, status } = await run("", { cwd: "no-such-folder" });
    expect([status, said]).toEqual([1, expect.stringContaining("ENOENT")]);
  });
});
