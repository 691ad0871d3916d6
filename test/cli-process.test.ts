/** Most tests of the command run it in their own process (command.ts). This test compares such runs with real processes. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asi, asiProcess, MATCH, namesIn, scratchFolder, TORN, textOf } from "./asi-process.js";
import type { AsiOptions } from "./command.js";

test.for<[what: string, status: number, args: string[], options?: AsiOptions]>([
  ["a file", 0, ["convert", MATCH.path, "-d", "."]],
  ["from pipe to pipe", 0, ["convert", "-", "-o", "-"], { input: MATCH.bytes }],
  ["the version", 0, ["--version"]],
  ["one input of two is missing", 1, ["convert", "missing.asi", TORN.path, "-d", "."]],
  ["an error with its stack trace", 1, ["info", "missing.asi"], { env: { ASI_DEBUG: "1" } }],
  ["an empty standard input", 1, ["info", "-"]],
  ["wrong usage", 2, ["convert", MATCH.path, "--from", "noon"]],
  ["damage, in threads", 3, ["convert", MATCH.path, TORN.path, "--jobs", "2", "-d", "."]],
])(
  "a process has the same output and files as a run in the test: %s, status %i",
  async ([, status, args, options]) => {
    const [own, inTest] = ["own", "in-test"].map((name) => join(scratchFolder(), name));
    const outcome = async (run: typeof asi, folder = "") => {
      mkdirSync(folder);
      const { stderr, ...result } = await run(args, { ...options, cwd: folder });
      const files = namesIn(folder).map((name) => [name, textOf(folder, name)]);
      // in a test, the stack of an error has other frames below those of the command
      return { ...result, stderr: stderr.replaceAll(/^ +at .*\n/gm, ""), files };
    };
    const expected = await outcome(asiProcess, own);
    expect(expected.status).toBe(status);
    expect(await outcome(asi, inTest)).toEqual(expected);
  },
);
