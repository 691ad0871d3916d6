import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  ASI,
  asi,
  asiProcess,
  endOf,
  MATCH,
  namesIn,
  RIDE,
  scratchFolder,
  shell,
  startAsi,
  TORN,
  textOf,
} from "./asi-process.js";

const LOGGING_FILES = fileURLToPath(new URL("./children/log-file-calls.cjs", import.meta.url));
const hasPipes = process.platform !== "win32";

/** A named pipe, opened for writing. */
function pipeIn(folder: string, name: string): { path: string; end(bytes: Uint8Array): void } {
  const path = join(folder, name);
  spawnSync("mkfifo", [path]);
  // opened for reading too, so that the call does not wait
  const file = openSync(path, "r+");
  return {
    path,
    end(bytes) {
      const writer = spawnSync("dd", [`of=${path}`, "bs=64k", "status=none"], { input: bytes });
      expect(writer.status).toBe(0);
      writeSync(file, "");
    },
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("--jobs", () => {
  test("works in any installation folder", async () => {
    const folder = join(scratchFolder(), "a b#c?d%41[e]");
    mkdirSync(folder);
    cpSync(dirname(dirname(ASI)), join(folder, "dist"), { recursive: true });
    symlinkSync(join(dirname(dirname(dirname(ASI))), "node_modules"), join(folder, "node_modules"));
    MATCH.copyTo(folder, "match.asi");
    RIDE.copyTo(folder, "ride.asi");
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(folder, "dist/bin/asi.cjs"), "convert", "match.asi", "ride.asi", "--jobs", "2"],
      { cwd: folder, encoding: "utf8" },
    );
    expect(stderr).not.toMatch(/WORKER_FAILED/);
    expect(status).toBe(0);
    expect(textOf(folder, RIDE.expected.fileName)).toBe(RIDE.csv);
  });

  test.skipIf(!hasPipes)("does not delay small files because of a slow one", async () => {
    const folder = scratchFolder();
    const slow = join(folder, "slow.asi");
    spawnSync("mkfifo", [slow]);
    MATCH.copyTo(folder, "a.asi");
    RIDE.copyTo(folder, "b.asi");
    TORN.copyTo(folder, "c.asi");
    const child = startAsi(
      ["convert", "slow.asi", "a.asi", "b.asi", "c.asi", "--jobs", "2", "-d", "out", "--json"],
      {
        cwd: folder,
      },
    );
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    const end = endOf(child);
    const expected = [MATCH, RIDE, TORN].map((fixture) => fixture.expected.fileName).sort();
    const csvs = () =>
      readdirSync(join(folder, "out"))
        .filter((name) => name.endsWith(".csv"))
        .sort();
    await until(() => {
      try {
        return csvs().length === 3;
      } catch {
        return false;
      }
    });
    expect(csvs()).toEqual(expected);
    // not a recording
    writeFileSync(slow, "text");
    const { stdout } = await end;
    const inputs = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(inputs.map(({ input }) => input)).toEqual(["slow.asi", "a.asi", "b.asi", "c.asi"]);
    expect(inputs.map(({ error }) => error?.code)).toEqual([
      "NOT_A_RECORDING",
      undefined,
      undefined,
      undefined,
    ]);
  });

  test.skipIf(!hasPipes)(
    "assigns a name to the first input that needs it, even if a later input is finished first",
    async () => {
      const folder = scratchFolder();
      const slow = join(folder, "slow.asi");
      spawnSync("mkfifo", [slow]);
      MATCH.copyTo(folder, "copy.asi");
      const child = startAsi(["convert", "slow.asi", "copy.asi", "--jobs", "2", "-d", "out", "--json"], {
        cwd: folder,
      });
      onTestFinished(() => {
        child.kill("SIGKILL");
      });
      const end = endOf(child);
      const csv = join(folder, "out", MATCH.expected.fileName);
      await until(() => {
        try {
          return readFileSync(csv, "utf8") === MATCH.csv;
        } catch {
          return false;
        }
      });
      // the same rows, and an additional frame
      writeFileSync(slow, Buffer.concat([MATCH.bytes, Buffer.from("text")]));
      const { stdout, status } = await end;
      const [first, second] = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(first).toMatchObject({ input: "slow.asi", files: [{ bytes: MATCH.csv.length }] });
      expect(second).toMatchObject({ input: "copy.asi", error: { code: "FILE_EXISTS" } });
      expect(second.error.message).toMatch(/the output of slow\.asi in the same call/);
      expect(status).toBe(1);
      expect(namesIn(join(folder, "out"))).toEqual([MATCH.expected.fileName]);
      expect(readFileSync(csv, "utf8")).toBe(MATCH.csv);
    },
  );
});

describe.skipIf(process.platform !== "linux")("the message about a full disk names the kept files", () => {
  test("not an incomplete file", async () => {
    const folder = scratchFolder();
    const { stderr } = await shell(`trap '' XFSZ; ulimit -f 100; $ASI convert ${MATCH.path} -d .`, folder);
    expect(stderr).toMatch(/the incomplete output was removed\. \(EFBIG\)/);
    expect(namesIn(folder)).toEqual([]);
  });

  test("anything written to the standard output", async () => {
    const folder = scratchFolder();
    const { stderr } = await shell(
      `trap '' XFSZ; ulimit -f 100; $ASI convert ${MATCH.path} -o - > out.csv`,
      folder,
    );
    const kept = textOf(folder, "out.csv");
    expect(kept.length).toBeGreaterThan(0);
    expect(stderr).toMatch(
      new RegExp(`the first ${kept.length} bytes were written and remain\\. \\(EFBIG\\)`),
    );
    expect(MATCH.csv.startsWith(kept)).toBe(true);
  });

  test("nothing that a full device refuses immediately", async () => {
    for (const to of ["-o - > /dev/full", "-o /dev/full", "--json -d out > /dev/full"]) {
      const { stderr, stdout } = await shell(`$ASI convert ${MATCH.path} ${to}; echo $?`, scratchFolder());
      expect(stderr).toMatch(/disk is full; nothing was written\. \(ENOSPC\)/);
      expect(stdout).toBe("1\n");
    }
  });
});

describe("files under a temporary name", () => {
  const partsIn = (folder: string) => namesIn(folder).filter((name) => name.endsWith(".part"));

  test.skipIf(!hasPipes)(
    "are removed by the next process if a killed process left them; other files are kept",
    async () => {
      const folder = scratchFolder();
      // separate pipes, because the killed process may not read all of its input
      const [first, second] = [pipeIn(folder, "first"), pipeIn(folder, "second")];
      const convert = ({ path }: { path: string }) =>
        startAsi(["convert", path, "-d", "out"], { cwd: folder });
      const out = join(folder, "out");
      mkdirSync(out);
      // sends rows, so that the command begins to write the file
      const begin = ({ path }: { path: string }) =>
        writeSync(openSync(path, "r+"), MATCH.bytes.subarray(0, 60_000));

      const killed = convert(first);
      const end = endOf(killed);
      begin(first);
      await until(() => partsIn(out).length === 1);
      killed.kill("SIGKILL");
      await end;
      const [left = ""] = partsIn(out);
      expect(left).toMatch(/^\.asi-/);

      const living = convert(second);
      onTestFinished(() => {
        living.kill("SIGKILL");
      });
      begin(second);
      await until(() => partsIn(out).length === 1 && !partsIn(out).includes(left));
      const [ofLiving = ""] = partsIn(out);
      // from another machine, from no machine, and from another program
      const foreign = [
        left.replace(/[0-9a-z]+(-[0-9a-z]+\.part)$/, "othermachine$1"),
        ".asi-1-0-x.part",
        "mine.part",
      ];
      for (const name of foreign) {
        writeFileSync(join(out, name), "");
        utimesSync(join(out, name), 0, 0);
      }
      writeFileSync(join(out, left), "");
      expect((await asi(["convert", RIDE.path, "-d", "out"], { cwd: folder })).status).toBe(0);
      expect(partsIn(out)).toEqual([...foreign, ofLiving].sort());
      for (const { path } of [first, second]) rmSync(path);
    },
  );

  test("are written to disk before they get their final name", async () => {
    for (const args of [
      ["convert", MATCH.path],
      ["convert", MATCH.path, "--split", "-d", "."],
      ["convert", MATCH.path, "-o", "x.csv", "--force"],
      ["repair", MATCH.path, "-d", "."],
      ["encode", "--demo", "--duration", "5s"],
    ]) {
      const folder = scratchFolder();
      const { status } = await asiProcess([...args, ...(args.length === 2 ? ["-d", "."] : [])], {
        cwd: folder,
        env: { NODE_OPTIONS: `--require "${LOGGING_FILES}"`, FILE_CALLS: join(folder, "calls.log") },
      });
      expect(status).toBe(0);
      const calls = textOf(folder, "calls.log").trimEnd().split("\n");
      const named = calls.flatMap((call, i) => (/^(link|rename) /.test(call) ? [i] : []));
      expect(named.length).toBeGreaterThan(0);
      for (const at of named) {
        const [, part = ""] = calls[at]?.split(" ") ?? [];
        expect(part).toMatch(/\.part$/);
        expect(calls.slice(0, at)).toContain(`fsync ${part}`);
      }
      expect(calls.slice(named.at(-1))).toContain("fsync .");
    }
  });
});
