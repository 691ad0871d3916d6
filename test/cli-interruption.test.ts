import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ASI, endOf, MATCH, namesIn, scratchFolder, shell, startAsi, TORN, textOf } from "./asi-process.js";

/** Waits until another process fulfils a condition. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(10);
}

const isPart = (name: string) => name.endsWith(".part");

describe("an interrupted run is terminated by the signal and leaves no file", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s while it waits for more input", async (signal) => {
    const folder = scratchFolder();
    const child = startAsi(["convert", "-", "-d", "."], { cwd: folder });
    const end = endOf(child);
    child.stdin.write(MATCH.bytes);
    await until(() => namesIn(folder).some(isPart));
    child.kill(signal);
    expect(await end).toEqual({ status: null, signal, stdout: "", stderr: "" });
    expect(namesIn(folder)).toEqual([]);
  });

  test("exits with status 130 in a shell", async () => {
    const folder = scratchFolder();
    const bash = spawn("bash", ["-c", '"$0" "$1" convert - -d .; echo $?', process.execPath, ASI], {
      cwd: folder,
    });
    const end = endOf(bash);
    // the interrupted process may not read all of it
    bash.stdin.on("error", () => undefined);
    bash.stdin.write(MATCH.bytes);
    await until(() => namesIn(folder).some(isPart));
    // the temporary name contains the process id
    process.kill(Number(/^\.asi-(\d+)-/.exec(namesIn(folder)[0] ?? "")?.[1]), "SIGINT");
    expect(await end).toMatchObject({ status: 0, stdout: "130\n" });
    expect(namesIn(folder)).toEqual([]);
  });

  test("ends its worker threads", async () => {
    const folder = scratchFolder();
    await shell("mkfifo 1.asi 2.asi 3.asi", folder);
    const child = startAsi(["convert", "1.asi", "2.asi", "3.asi", "--jobs", "2", "-d", "."], { cwd: folder });
    const end = endOf(child);
    // half of a recording into each of the two pipes
    const writers = ["1.asi", "2.asi"].map((name) =>
      spawn("bash", ["-c", `exec 3> ${name}; head -c 500000 ${MATCH.path} >&3; read`], {
        cwd: folder,
        stdio: ["pipe", "ignore", "ignore"],
      }),
    );
    await until(() => namesIn(folder).filter(isPart).length === 2);
    child.kill("SIGINT");
    expect(await end).toEqual({ status: null, signal: "SIGINT", stdout: "", stderr: "" });
    expect(namesIn(folder)).toEqual(["1.asi", "2.asi", "3.asi"]);
    for (const writer of writers) {
      writer.stdin.end();
      await once(writer, "close");
    }
  });

  test("ends even if nobody reads the output", async () => {
    const folder = scratchFolder();
    const child = startAsi(["convert", MATCH.path, "-o", "-"], { cwd: folder });
    await once(child.stdout, "readable");
    const end = once(child, "exit");
    child.kill("SIGINT");
    expect(await end).toEqual([null, "SIGINT"]);
    child.stdout.destroy();
  });

  test("ends asi repair and asi encode in the same way", async () => {
    const folder = scratchFolder();
    for (const args of [
      ["repair", "-"],
      ["encode", "-", "--serial", "X"],
    ]) {
      const child = startAsi(args, { cwd: folder });
      const end = endOf(child);
      child.stdin.write(args[0] === "repair" ? MATCH.bytes : MATCH.csv);
      await until(() => namesIn(folder).some(isPart));
      child.kill("SIGTERM");
      expect(await end).toMatchObject({ signal: "SIGTERM", stderr: "" });
      expect(namesIn(folder)).toEqual([]);
    }
  });
});

describe("a closed pipe is not an error", () => {
  test.each([
    `convert ${MATCH.path} -o -`,
    `repair ${MATCH.path} -o -`,
    "encode --demo -o -",
    `info ${MATCH.path} ${TORN.path}`,
    "convert --help",
  ])("asi %s", async (command) => {
    const folder = scratchFolder();
    const { stdout, stderr } = await shell(
      `$ASI ${command} | head -c 20 | wc -c; echo \${PIPESTATUS[0]}`,
      folder,
    );
    expect(stderr.replace(/^.*damaged: .*\n/m, "")).toBe("");
    expect(stdout).toMatch(/^20\n[03]\n$/);
    expect(namesIn(folder)).toEqual([]);
  });

  test("a batch with --json continues to write its files", async () => {
    const folder = scratchFolder();
    const { stdout, stderr } = await shell(
      `$ASI convert ${MATCH.path} ${TORN.path} --json -d . > >(exec true); echo $?`,
      folder,
    );
    expect(stderr).toBe("");
    expect(stdout).toBe("3\n");
    expect(namesIn(folder)).toEqual([MATCH.expected.fileName, TORN.expected.fileName].sort());
  });
});

test("a command that fails early does not wait for its input to end", async () => {
  const child = startAsi(["convert", "-", "-o", "-"]);
  const end = endOf(child);
  // a plain log, without a header at its beginning; the pipe stays open
  child.stdin.write(MATCH.bytes.subarray(72));
  expect(await end).toMatchObject({ status: 1, stderr: expect.stringContaining("NOT_A_RECORDING") });
});

test.skipIf(spawnSync("python3", ["--version"]).status !== 0)(
  "a nonblocking output receives all bytes, however slowly it is read",
  async () => {
    const folder = scratchFolder();
    const script = `python3 -c '
import fcntl, os, subprocess, sys, time
r, w = os.pipe()
fcntl.fcntl(w, fcntl.F_SETFL, fcntl.fcntl(w, fcntl.F_GETFL) | os.O_NONBLOCK)
asi = subprocess.Popen(sys.argv[1:], stdout=w)
os.close(w)
time.sleep(0.5)
with open(r, "rb") as pipe, open("read.csv", "wb") as copy:
    copy.write(pipe.read())
sys.exit(asi.wait())' $ASI convert ${MATCH.path} -o -`;
    expect(await shell(script, folder)).toMatchObject({ status: 0, stderr: "" });
    expect(textOf(folder, "read.csv")).toBe(MATCH.csv);
  },
);
