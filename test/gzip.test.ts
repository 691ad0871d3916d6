import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { convert } from "../src/index.js";
import { convertFile, inspectFile, readFileChunks } from "../src/node.js";
import { asi, MATCH, namesIn, scratchFolder, shell, startAsi, textOf } from "./asi-process.js";
import { asiError, wholeBytes, wholeText } from "./whole.js";

function compressedMatch(): { folder: string; path: string } {
  const folder = scratchFolder();
  const path = join(folder, "match.asi.gz");
  writeFileSync(path, gzipSync(MATCH.bytes));
  return { folder, path };
}

describe("a recording compressed with gzip", () => {
  test("is read like the recording itself: from files, folders, pipes and threads", async () => {
    const { folder } = compressedMatch();
    for (const args of [["match.asi.gz"], ["."], [".", "--jobs", "2", "--from", "2025-03-15"]]) {
      expect((await asi(["convert", ...args, "--force"], { cwd: folder })).status).toBe(0);
      expect(textOf(folder, MATCH.expected.fileName)).toBe(MATCH.csv);
    }
    expect((await shell("cat match.asi.gz | $ASI convert - -o -", folder)).stdout).toBe(MATCH.csv);
    expect((await shell("$ASI convert - -o - < match.asi.gz", folder)).stdout).toBe(MATCH.csv);
    // the first bytes arrive one by one
    const slowly = `(for i in 0 1 2 3 4; do dd bs=1 count=1 status=none; sleep 0.05; done; cat) < match.asi.gz`;
    expect((await shell(`${slowly} | $ASI convert - -o -`, folder)).stdout).toBe(MATCH.csv);
    const { stdout } = await asi(["info", "match.asi.gz", "--json"], { cwd: folder });
    expect(JSON.parse(stdout).report).toEqual(MATCH.expected.report);
  });

  test("names outputs without .gz", async () => {
    const { folder } = compressedMatch();
    await asi(["repair", "match.asi.gz"], { cwd: folder });
    await asi(["convert", "match.asi.gz", "--name", "{input}"], { cwd: folder });
    expect(namesIn(folder)).toEqual(["match.asi.gz", "match.csv", "match.repaired.asi"]);
  });

  test("may be a track", async () => {
    const { folder } = compressedMatch();
    await asi(["convert", "match.asi.gz", "-o", "watch.gpx"], { cwd: folder });
    await shell("gzip watch.gpx", folder);
    expect((await asi(["encode", "watch.gpx.gz", "--serial", "W-1"], { cwd: folder })).status).toBe(0);
    const { stdout } = await asi(["info", "watch.asi", "--json"], { cwd: folder });
    expect(JSON.parse(stdout).report.rows.total).toBe(7200);
  });

  test("is read by the functions for files, and refused with an explanation by those for bytes", async () => {
    const { folder, path } = compressedMatch();
    expect((await inspectFile(path)).report).toEqual(MATCH.expected.report);
    const { files } = await convertFile(path, { outDir: folder });
    expect(files[0]?.bytes).toBe(MATCH.csv.length);
    expect(Buffer.from(await wholeBytes(readFileChunks(path))).equals(MATCH.bytes)).toBe(true);
    const error = await asiError(wholeText(convert(gzipSync(MATCH.bytes)).body));
    expect(error).toMatchObject({
      code: "NOT_A_RECORDING",
      message: expect.stringMatching(/compressed with gzip/),
    });
  });

  test("causes an error and leaves no file if it is truncated or damaged", async () => {
    const { folder } = compressedMatch();
    const whole = gzipSync(MATCH.bytes);
    const flipped = Buffer.from(whole);
    flipped[5000] = (flipped[5000] ?? 0) ^ 0xff;
    for (const bytes of [whole.subarray(0, -1), whole.subarray(0, 5), flipped]) {
      writeFileSync(join(folder, "match.asi.gz"), bytes);
      const { status, stderr } = await asi(["convert", "match.asi.gz"], { cwd: folder });
      expect(stderr).toMatch(/gzip data is damaged or truncated.*\(BAD_GZIP\)/);
      expect(status).toBe(1);
      expect(namesIn(folder)).toEqual(["match.asi.gz"]);
    }
  });

  test("needs no more memory than other data, even if it expands to 400 MB", async () => {
    const folder = scratchFolder();
    // foreign bytes after a header: all of them are read
    const zeros = Buffer.alloc(1_000_000);
    const expanding = (function* () {
      yield MATCH.bytes.subarray(0, 172);
      for (let i = 0; i < 400; i++) yield zeros;
    })();
    await pipeline(
      Readable.from(expanding),
      createGzip({ level: 1 }),
      createWriteStream(join(folder, "bomb.asi.gz")),
    );
    const child = startAsi(["convert", "bomb.asi.gz", "--json"], {
      cwd: folder,
      env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(TELLS_ITS_MEMORY)}` },
    });
    child.stdin.end();
    let stderr = "";
    let stdout = "";
    child.stderr.on("data", (text) => {
      stderr += text;
    });
    child.stdout.on("data", (text) => {
      stdout += text;
    });
    await new Promise((resolve) => child.on("close", resolve));
    expect(JSON.parse(stdout).report.bytes.total).toBe(400_000_172);
    expect(Number(/(\d+) kB/.exec(stderr)?.[1])).toBeLessThan(160_000);
  });
});

// On Linux, `maxRSS` includes the parent process before the exec, which has loaded the modules of many tests.
const TELLS_ITS_MEMORY = `
import { existsSync, readFileSync } from "node:fs";
const status = "/proc/self/status";
const peakKb = () => existsSync(status)
  ? /^VmHWM:\\s+(\\d+) kB$/m.exec(readFileSync(status, "utf8"))[1] : process.resourceUsage().maxRSS;
process.on("exit", () => process.stderr.write(peakKb() + " kB"));`;
