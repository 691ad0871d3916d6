import { spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { inspect } from "../src/index.js";
import { convertFile, convertToFile, inspectFile, readFileChunks, repairFile } from "../src/node.js";
import { MATCH, scratchFolder } from "./asi-process.js";
import { asiError, rejection, wholeBytes } from "./whole.js";

function pipeIn(folder: string): string {
  const path = join(folder, "pipe");
  expect(spawnSync("mkfifo", [path]).status).toBe(0);
  return path;
}

const descriptors = () => readdirSync("/proc/self/fd").length;

/** Long enough for descriptors to be closed. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await stat("/");
}

// More than the threads of the pool.
const TIMES = 8;

describe.skipIf(process.platform !== "linux")("a pipe whose other end is not opened", () => {
  test.for<[string, (pipe: string, signal: AbortSignal) => Promise<unknown>]>([
    ["inspectFile", (pipe, signal) => inspectFile(pipe, { signal })],
    ["convertFile", (pipe, signal) => convertFile(pipe, { signal })],
    ["repairFile", (pipe, signal) => repairFile(pipe, { signal, output: `${pipe}.asi` })],
    ["readFileChunks", (pipe, signal) => inspect(readFileChunks(pipe), { signal })],
    ["an output", (pipe, signal) => convertToFile(MATCH.bytes, { output: pipe, signal })],
  ])("keeps no descriptor and no thread when it is aborted: %s", async ([, run]) => {
    const pipe = pipeIn(scratchFolder());
    await settled();
    const before = descriptors();
    const reason = new Error("enough");
    for (let i = 0; i < TIMES; i++) {
      const control = new AbortController();
      const running = asiError(run(pipe, control.signal));
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      control.abort(reason);
      expect(await running).toMatchObject({ name: "AbortError", code: "ABORTED", cause: reason });
    }
    // waits forever if the pool has no thread left
    await settled();
    expect(descriptors()).toBe(before);
  });

  test("is released with its chunks, in the middle of a read", async () => {
    const pipe = pipeIn(scratchFolder());
    await settled();
    const before = descriptors();
    const chunks = readFileChunks(pipe);
    const reading = chunks.next();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await chunks.return();
    expect(await reading).toEqual({ done: true, value: undefined });
    await settled();
    expect(descriptors()).toBe(before);
  });
});

describe.skipIf(process.platform === "win32")("a pipe", () => {
  test("is read completely if its writer starts late", async () => {
    const pipe = pipeIn(scratchFolder());
    const writer = spawn(
      "bash",
      ["-c", `sleep 0.3; head -c 300000 "$0"; sleep 0.1; tail -c +300001 "$0"`, MATCH.path],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const copier = spawn("bash", ["-c", `exec cat > "$0"`, pipe], {
      stdio: [writer.stdout, "inherit", "inherit"],
    });
    onTestFinished(() => {
      writer.kill();
      copier.kill();
    });
    expect(Buffer.from(await wholeBytes(readFileChunks(pipe))).equals(MATCH.bytes)).toBe(true);
  });

  test("is written completely if its reader starts late and reads slowly", async () => {
    const pipe = pipeIn(scratchFolder());
    const reader = spawn("bash", ["-c", `sleep 0.3; exec < "$0"; head -c 100000; sleep 0.3; cat`, pipe]);
    let text = "";
    reader.stdout.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    const closed = new Promise((resolve) => reader.on("close", resolve));
    const { files } = await convertToFile(MATCH.bytes, { output: pipe });
    await closed;
    expect(files).toEqual([{ path: pipe, bytes: MATCH.csv.length }]);
    expect(text === MATCH.csv).toBe(true);
  });

  test("causes EPIPE if its reader disconnects", async () => {
    const pipe = pipeIn(scratchFolder());
    spawn("bash", ["-c", `exec < "$0"; head -c 10 > /dev/null`, pipe]);
    expect(await rejection(convertToFile(MATCH.bytes, { output: pipe }))).toMatchObject({ code: "EPIPE" });
  });
});
