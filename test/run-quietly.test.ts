import { describe, expect, it } from "vitest";
import { runQuietly } from "../scripts/run-quietly.mjs";

/** What is said about a script that is run, and its status. */
function run(script: string): { said: string; status: number } {
  let said = "";
  const status = runQuietly("Building it…", process.execPath, ["-e", script], (text: string) => {
    said += text;
  });
  return { said, status };
}

describe("a build after npm ci", () => {
  it("says one line, whatever its tools print", () => {
    const script = 'console.log("dist/index.js 16 KB"); console.error("\\nLast converge was suboptimal.\\n")';
    expect(run(script)).toEqual({ said: "Building it…\n", status: 0 });
  });

  it("says its warnings whole", () => {
    const script = 'console.log("dist/index.js 16 KB"); console.error("\\n WARN  a\\n\\n  at b.ts:1:1\\n")';
    expect(run(script)).toEqual({ said: "Building it…\nWARN  a\n\n  at b.ts:1:1\n", status: 0 });
  });

  it("says everything when it fails, and fails with the same status", () => {
    const script = 'console.log("building"); console.error("Error: b.ts"); process.exitCode = 3';
    expect(run(script)).toEqual({ said: "Building it…\nbuilding\nError: b.ts\n", status: 3 });
  });

  it("fails where the command cannot be started", () => {
    let said = "";
    const status = runQuietly("Building it…", "no-such-command-of-asi", [], (text: string) => {
      said += text;
    });
    expect(status).toBe(1);
    expect(said).toContain("ENOENT");
  });
});
