/** Tests the package in other server runtimes of JavaScript, if they are installed: Deno and Bun are available as npm packages. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { convert, FORMAT_NAMES } from "../../src/index.js";
import { installBuilt, repository, type ScratchPackage } from "../scratch-package.js";
import { wholeBytes } from "../whole.js";

const RUNTIMES = [
  { name: "Deno", command: process.env.DENO ?? "deno", args: ["run", "--allow-read"] },
  { name: "Bun", command: process.env.BUN ?? "bun", args: [] },
];

const isInstalled = (command: string) => spawnSync(command, ["--version"]).status === 0;

/** Two conversions into each format, the second after the first has ended. */
const PROGRAM = `
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { convert, FORMAT_NAMES } from "asi-convert";
const recording = readFileSync("match.asi");
const digests = [];
for (const format of FORMAT_NAMES) {
  for (let round = 0; round < 2; round++) {
    const { body, engine } = convert(new Response(recording), { format });
    const bytes = new Uint8Array(await new Response(body).arrayBuffer());
    digests.push([format, await engine, createHash("sha256").update(bytes).digest("hex")]);
  }
}
console.log(JSON.stringify(digests));
`;

describe.each(RUNTIMES)("in $name", ({ name, command, args }) => {
  let scratch: ScratchPackage;
  const isThere = isInstalled(command);
  if (!isThere)
    console.warn(`skipped: ${name} is not installed (npm install --global ${name.toLowerCase()})`);

  beforeAll(() => {
    scratch = installBuilt();
    copyFileSync(join(repository, "fixtures/valid/match-hr.asi"), join(scratch.folder, "match.asi"));
    writeFileSync(join(scratch.folder, "program.mjs"), PROGRAM);
  });
  afterAll(() => scratch?.remove());

  it.skipIf(!isThere)("every format has the same bytes as in Node.js, with WebAssembly", async () => {
    const recording = readFileSync(join(scratch.folder, "match.asi"));
    const expected: string[][] = [];
    for (const format of FORMAT_NAMES) {
      const bytes = await wholeBytes(convert(recording, { format }).body);
      const line = [format, "simd", createHash("sha256").update(bytes).digest("hex")];
      expected.push(line, line);
    }
    const { stdout, stderr } = spawnSync(command, [...args, "program.mjs"], {
      cwd: scratch.folder,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(expected);
  });
});
