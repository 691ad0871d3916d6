/** Tests what the command loads. Loading takes most of the time of a short run. */
import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ASI } from "./command.js";

const EDGES = fileURLToPath(new URL("../fixtures/valid/edges.asi", import.meta.url));

const PRINT_LOADED = `
  process.on("exit", () => console.log(JSON.stringify(Object.keys(require.cache))));
  process.argv.splice(1, 0, ${JSON.stringify(ASI)});
  require(process.argv[1]);
`;

/** The names of the files of the package that a run loads. The run must print nothing. */
function loadedBy(...args: string[]): string[] {
  const output = execFileSync(process.execPath, ["-e", PRINT_LOADED, "--", ...args], { encoding: "utf8" });
  return (JSON.parse(output) as string[]).map((path) => basename(path));
}

test("a conversion loads the reader of recordings, but not the figures", () => {
  const loaded = loadedBy("convert", EDGES, "-o", "/dev/null", "--force", "--quiet");
  expect(loaded).toContain("parts.cjs");
  expect(loaded).not.toContain("figures.cjs");
});
