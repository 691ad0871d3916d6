/** The command `asi pull` gets the samples of an account from a running service. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertSync } from "asi-convert";
import { describe, expect } from "vitest";
import { withOwnService } from "./file-service.js";
import { timesFrom, walk } from "./recordings.js";
import { newScratchFolder } from "./scratch.js";
import type { TestAccount, TestDevice, TestService } from "./service.js";

const ASI = join(import.meta.dirname, "../../dist/bin/asi.cjs");
const DAY = "2024-03-01";
const LATER = "2024-05-20";

interface Result {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

function startPull(s: TestService, token: string, args: readonly string[]) {
  const child = spawn(process.execPath, [ASI, "pull", s.service.url ?? "", ...args], {
    env: { ...process.env, NO_COLOR: "1", ASI_TOKEN: token },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const result = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text) => {
      result[name] += text;
    });
  }
  const end = new Promise<Result>((resolve) =>
    child.once("close", (status, signal) => resolve({ status, signal, ...result })),
  );
  return { child, end };
}

const pull = (s: TestService, { token }: TestAccount, ...args: string[]) => startPull(s, token, args).end;

const csvOf = (recording: Uint8Array) => new TextDecoder().decode(convertSync(recording).csv);
const textOf = (...path: string[]) => readFileSync(join(...path), "utf8");

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => !name.endsWith(".asi-pull.json"))
    .sort();

async function ownedSince2024(s: TestService, by: TestAccount): Promise<TestDevice> {
  const device = await s.ownedDevice(by);
  await s.backdate(device, "2024-01-01T00:00:00Z");
  return device;
}

const it = withOwnService();

describe("asi pull", () => {
  it("writes a file for each device and day, with the rows of asi convert", async ({ service: s }) => {
    const ann = await s.manager();
    const [one, two] = [await ownedSince2024(s, ann), await ownedSince2024(s, ann)];
    const first = await walk(one.serial_number, `${DAY}T10:00:00Z`, 300);
    const second = await walk(one.serial_number, `${LATER}T10:00:00Z`, 40);
    const other = await walk(two.serial_number, `${DAY}T11:00:00Z`, 50);
    for (const recording of [first, second]) await s.load(one, ann, recording);
    await s.load(two, ann, other);
    const folder = newScratchFolder();
    const { status, stderr } = await pull(s, ann, "--out-dir", folder, "--format", "csv");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "3 files written (0.0 MB), 0 unchanged\n" });
    expect(filesIn(folder)).toEqual(
      [
        `serial=${one.serial_number}/${DAY}.csv`,
        `serial=${one.serial_number}/${LATER}.csv`,
        `serial=${two.serial_number}/${DAY}.csv`,
      ].sort(),
    );
    expect(textOf(folder, `serial=${one.serial_number}`, `${DAY}.csv`)).toBe(csvOf(first));
    expect(textOf(folder, `serial=${one.serial_number}`, `${LATER}.csv`)).toBe(csvOf(second));
    expect(textOf(folder, `serial=${two.serial_number}`, `${DAY}.csv`)).toBe(csvOf(other));
  });
});
