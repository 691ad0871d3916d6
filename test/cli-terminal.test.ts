import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { MATCH, scratchFolder, shell, TORN, textOf } from "./asi-process.js";
import { asiInf, joined } from "./frames.js";
import { standIn, TOKEN } from "./service-stand-in.js";
import { syntheticEcg, waveformFrames } from "./synthetic-ecg.js";

const STOPPED_UPTIME = fileURLToPath(new URL("./children/stopped-uptime.cjs", import.meta.url));

// `script` of util-linux runs a program on a terminal.
const hasScript = /util-linux/.test(String(spawnSync("script", ["--version"]).stdout));

const ERASE = "\r\x1b[K";
const YELLOW = "\x1b[33m";

/** Replaces the sequence that erases the line by a visible text. */
const visible = (output: string) => output.replaceAll(ERASE, "<erase>");

/** Runs a shell script on a terminal; `stdout` is the terminal's output. */
function onTerminal(command: string, folder: string, env: Record<string, string> = {}) {
  const quoted = command.replaceAll("'", `'"'"'`);
  return shell(`script -qec '${quoted}' /dev/null`, folder, { TERM: "xterm", ...env });
}

// A command that takes more than half a second, because half of the input arrives late.
const slowly = (path: string) =>
  `(head -c 300000 ${path}; sleep 1; tail -c +300001 ${path}) | $ASI convert - -f -d out`;
// The reader opens the output together with the writer, and reads it late.
const slowReader = (path: string) =>
  `mkfifo pipe; (exec 3<pipe; sleep 1; cat <&3 > read.csv) & $ASI convert ${path} -o pipe; wait`;

describe.skipIf(!hasScript)("the command on a terminal", () => {
  test("shows the progress of tasks that take longer than half a second, and then removes it", async () => {
    const folder = scratchFolder();
    const { stdout } = await onTerminal(slowReader(MATCH.path), folder);
    expect(visible(stdout)).toMatch(/<erase>\[#+-*\] \d+% {2}\d\.\d of 0\.7 MB/);
    const left = stdout.slice(stdout.lastIndexOf(ERASE) + ERASE.length);
    expect(left).toBe(`${MATCH.path}: 7200 rows -> pipe\r\n`);
    expect(textOf(folder, "read.csv")).toBe(MATCH.csv);
  });

  test("shows the number of bytes read if the size is unknown", async () => {
    const { stdout } = await onTerminal(slowly(MATCH.path), scratchFolder());
    expect(visible(stdout)).toMatch(/<erase>0\.\d MB<erase>/);
  });

  test("shows no progress line for short tasks", async () => {
    const NODE_OPTIONS = `--require "${STOPPED_UPTIME}"`;
    const command = `$ASI convert ${MATCH.path} -d out`;
    const { stdout } = await onTerminal(command, scratchFolder(), { NODE_OPTIONS });
    expect(stdout).toBe(`${MATCH.path}: 7200 rows -> out/${MATCH.expected.fileName}\r\n`);
  });

  test("escapes control characters of a serial number in the progress of asi pull", async () => {
    let refusals = 0;
    const { address } = await standIn(
      [{ id: 7, serial: "A\x1b[2J\u202eB", times: [Date.parse("2026-05-16T12:00:00Z")] }],
      ({ pathname }, response) => {
        if (!pathname.includes("/samples/") || refusals === 1) return false;
        refusals += 1;
        response.writeHead(503, { "Retry-After": "0" }).end();
        return true;
      },
    );
    const { stdout } = await onTerminal(`$ASI pull ${address} -d data`, scratchFolder(), {
      ASI_TOKEN: TOKEN,
    });
    expect(visible(stdout)).toMatch(/A\\x1b\[2J\\u202eB 2026-\d\d-\d\d, waiting 0 s for the service/);
    for (const control of ["\x1b", "\u202e"]) expect(visible(stdout)).not.toContain(control);
  });

  test("refuses binary formats with a message, and accepts text and pipes", async () => {
    const folder = scratchFolder();
    const commands = [
      `$ASI convert ${MATCH.path} -o - --format fit`,
      `$ASI convert ${MATCH.path} -o /dev/stdout --format parquet`,
      "$ASI ecg run.asi --format edf",
      "$ASI ecg run.asi --format parquet -o -",
    ];
    writeFileSync(
      join(folder, "run.asi"),
      joined([asiInf(), ...waveformFrames(syntheticEcg({ durationS: 30, bpm: 90 }), 1_700_000_000_000)]),
    );
    for (const command of commands) {
      const { stdout, status } = await onTerminal(command, folder);
      const format = /--format (\w+)/.exec(command)?.[1];
      expect(stdout).toContain(
        `The format ${format} is binary and cannot be shown in a terminal. Name a file with -o`,
      );
      expect(status).toBe(2);
      const piped = await onTerminal(`${command} | wc -c`, folder);
      expect(Number(piped.stdout)).toBeGreaterThan(1_000);
    }
    expect((await onTerminal(`$ASI convert ${MATCH.path} -o -`, folder)).stdout).toContain("1742049000");
    expect((await onTerminal(`$ASI ecg run.asi | head -1`, folder)).stdout).toBe("timestamp,sample\r\n");
  });

  test("uses colours, unless NO_COLOR or TERM=dumb, and a bar, unless TERM=dumb", async () => {
    const damaged = `$ASI convert ${TORN.path} -f -d out`;
    const folder = scratchFolder();
    expect((await onTerminal(damaged, folder)).stdout).toContain(`${YELLOW}damaged:`);
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const { stdout } = await onTerminal(damaged, folder, env);
      expect(stdout).toContain(": damaged: 8 bad checksums");
      expect(stdout).not.toContain("\x1b");
    }
    expect((await onTerminal(slowly(MATCH.path), folder, { TERM: "dumb" })).stdout).not.toContain("\x1b");
    expect((await onTerminal(slowly(MATCH.path), folder, { NO_COLOR: "1" })).stdout).toContain(ERASE);
  });
});

test("--color always adds colours in a pipe, and --color never removes them on a terminal; both override NO_COLOR", async () => {
  const folder = scratchFolder();
  const damaged = (when: string) => `$ASI convert ${TORN.path} -f -d out --color ${when}`;
  const inPipe = await shell(damaged("always"), folder, { NO_COLOR: "1" });
  expect(inPipe.stderr).toContain(`${YELLOW}damaged:`);
  expect((await onTerminal(damaged("never"), folder)).stdout).not.toContain("\x1b");
  const missing = await shell("$ASI info missing.asi --color always", folder);
  expect(missing.stderr.startsWith("\x1b[31masi:")).toBe(true);
});

test("output to a pipe contains neither bar nor colours", async () => {
  const folder = scratchFolder();
  const { stdout, stderr } = await shell(slowly(MATCH.path), folder, { TERM: "xterm" });
  expect(stdout).toBe("");
  expect(stderr).toBe(`standard input: 7200 rows -> out/${MATCH.expected.fileName}\n`);
  expect((await shell(`$ASI convert ${TORN.path} -d out`, folder, { TERM: "xterm" })).stderr).not.toContain(
    "\x1b",
  );
});
