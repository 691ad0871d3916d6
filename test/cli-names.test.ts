import { mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { asi, MATCH, PLAIN_LOG, scratchFolder, TORN } from "./asi-process.js";

// Erases the screen and switches to red; a line break; C1; a bidirectional override.
const NASTY = "\u001b[2J\u001b[31m\nasi: all is well\u009b2J\u202e.asi";
const SHOWN = "\\x1b[2J\\x1b[31m\\nasi: all is well\\x9b2J\\u202e";

/** Characters that could affect a terminal. */
const ACTING = /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u;

describe.skipIf(process.platform === "win32")(
  "a name with control characters is never printed unescaped to the terminal",
  () => {
    test.for<[string, string[]]>([
      ["converted", ["convert", NASTY, "-d", "out"]],
      ["converted by threads", ["convert", NASTY, "torn.asi", "--jobs", "2", "-d", "out"]],
      ["into a folder with such a name", ["convert", "torn.asi", "-d", NASTY.slice(0, -4)]],
      ["as an output", ["convert", "torn.asi", "-o", `${NASTY}.csv`]],
      ["an output in a folder that does not exist", ["convert", "torn.asi", "-o", `${NASTY}/x.csv`]],
      ["damaged", ["convert", `torn${NASTY}`, "-o", "-", "--columns", "hr"]],
      ["no recording", ["convert", `log${NASTY}`]],
      ["missing", ["convert", `${NASTY}.missing`]],
      ["as a pattern", ["convert", `*${NASTY}{a,b}`]],
      ["info", ["info", NASTY]],
      ["ranges", ["ranges", NASTY, "torn.asi"]],
      ["validate", ["validate", "."]],
      ["repair", ["repair", `torn${NASTY}`, "-d", "out"]],
      ["json", ["info", NASTY, "--json"]],
      ["JSON of a missing file", ["validate", `${NASTY}.missing`, "--json"]],
      ["an option", ["convert", `--${NASTY}`]],
      ["a command", [NASTY]],
      ["a value", ["convert", "torn.asi", "--from", NASTY]],
      ["a serial number", ["convert", "torn.asi", "--serial", NASTY]],
      ["a column", ["convert", "torn.asi", "--columns", NASTY]],
      ["a CSV", ["encode", `${NASTY}.csv`, "--serial", "X"]],
    ])("%s", async ([, args]) => {
      const folder = scratchFolder();
      mkdirSync(`${folder}/out`);
      MATCH.copyTo(folder, NASTY);
      TORN.copyTo(folder, "torn.asi");
      TORN.copyTo(folder, `torn${NASTY}`);
      PLAIN_LOG.copyTo(folder, `log${NASTY}`);
      for (const env of [{}, { ASI_DEBUG: "1" }]) {
        const { stdout, stderr } = await asi(args, { cwd: folder, env });
        expect(stdout + stderr).not.toBe("");
        expect(stdout).not.toMatch(ACTING);
        expect(stderr).not.toMatch(ACTING);
        expect(stderr).not.toMatch(/^asi: all is well/m);
      }
    });

    test("it is printed with escapes, but unchanged in JSON", async () => {
      const folder = scratchFolder();
      MATCH.copyTo(folder, NASTY);
      const { stderr } = await asi(["convert", NASTY, "-d", "."], { cwd: folder });
      expect(stderr).toBe(`${SHOWN}.asi: 7200 rows -> ${MATCH.expected.fileName}\n`);
      const { stdout } = await asi(["info", NASTY, "--json"], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject({ input: NASTY });
    });
  },
);
