/** Tests that the command `asi pull` downloads the samples of an account from a running service. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertSync } from "asi-convert";
import { and, eq, isNotNull } from "drizzle-orm";
import { parquetReadObjects } from "hyparquet";
import { describe, expect } from "vitest";
import { accessTokens } from "../src/store/schema.js";
import { withOwnService } from "./file-service.js";
import { PathProxy } from "./path-proxy.js";
import { recordingOf, rowAt, timesFrom, walk } from "./recordings.js";
import { newScratchFolder } from "./scratch.js";
import type { TestAccount, TestDevice, TestService } from "./service.js";

const ASI = join(import.meta.dirname, "../../dist/bin/asi.cjs");
const DAY = "2024-03-01";
const LATER = "2024-05-20";
const iso = (ms: number) => new Date(ms).toISOString();

interface Result {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

function startPull(address: string, token: string, args: readonly string[]) {
  const child = spawn(process.execPath, [ASI, "pull", address, ...args], {
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

const pull = (s: TestService, { token }: TestAccount, ...args: string[]) =>
  startPull(s.service.url ?? "", token, args).end;

const csvOf = (recording: Uint8Array) => new TextDecoder().decode(convertSync(recording).csv);
const textOf = (...path: string[]) => readFileSync(join(...path), "utf8");

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => !name.endsWith(".asi-pull.json"))
    .sort();

async function ownedSince2024(s: TestService, by: TestAccount): Promise<TestDevice> {
  const device = await s.longOwned(by);
  return device;
}

const it = withOwnService();

describe("asi pull", () => {
  it("signs in with the browser of its user, stores no token, and signs out at the end", async ({
    service: s,
  }) => {
    const ann = await s.manager();
    const device = await ownedSince2024(s, ann);
    await s.load(device, ann, await walk(device.serial_number, `${DAY}T10:00:00Z`, 60));
    const folder = newScratchFolder();
    const start = (at: string) =>
      startPull(s.service.url ?? "", "", ["--out-dir", at, "--format", "csv", "--to", LATER, "--sign-in"]);
    const decide = async ({ child }: ReturnType<typeof startPull>, approve: boolean) => {
      const address = await new Promise<string>((resolve) => {
        let text = "";
        child.stderr.on("data", (part) => {
          text += part;
          const [shown] = /http\S+code=[A-Z]{4}-[A-Z]{4}/.exec(text) ?? [];
          if (shown !== undefined) resolve(shown);
        });
      });
      const code = address.slice(-9);
      const decided = await s.post("/api/v2/device-sign-ins/decide/", { code, approve }, ann.token);
      expect(decided.status).toBe(204);
    };
    const approved = start(folder);
    await decide(approved, true);
    const { status, stderr } = await approved.end;
    expect([status, stderr]).toEqual([0, expect.stringContaining("1 file written")]);
    expect(filesIn(folder)).toEqual([`serial=${device.serial_number}/${DAY}.csv`]);
    const kept = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
    expect(kept.join()).not.toMatch(/token/i);
    const withScopes = and(eq(accessTokens.accountId, ann.id), isNotNull(accessTokens.scopes));
    expect(await s.store.database.queries.$count(accessTokens, withScopes)).toBe(0);
    const denied = start(newScratchFolder());
    await decide(denied, false);
    const refused = await denied.end;
    expect([refused.status, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("The user has denied the request.");
  });

  it("writes a file for each device and day, with the rows of asi convert; a token that can only read samples is sufficient", async ({
    service: s,
  }) => {
    const ann = await s.manager();
    const [one, two] = [await ownedSince2024(s, ann), await ownedSince2024(s, ann)];
    const first = await walk(one.serial_number, `${DAY}T10:00:00Z`, 300);
    const second = await walk(one.serial_number, `${LATER}T10:00:00Z`, 40);
    const other = await walk(two.serial_number, `${DAY}T11:00:00Z`, 50);
    for (const recording of [first, second]) await s.load(one, ann, recording);
    await s.load(two, ann, other);
    const folder = newScratchFolder();
    const token = await s.personalToken(ann, "samples:read");
    const reader = { ...ann, token };
    const { status, stderr } = await pull(s, reader, "--out-dir", folder, "--format", "csv", "--to", LATER);
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

  it("writes JSON lines and Parquet like the download, and skips days that are complete", async ({
    service: s,
  }) => {
    const ann = await s.manager();
    const device = await ownedSince2024(s, ann);
    await s.load(device, ann, await walk(device.serial_number, `${DAY}T10:00:00Z`, 100));
    const folder = newScratchFolder();
    const own = `serial=${device.serial_number}`;
    for (const format of ["jsonl", "parquet"]) {
      const during = ["--out-dir", folder, "--format", format, "--from", "2024-02-28", "--to", DAY];
      expect((await pull(s, ann, ...during)).stderr).toMatch(/^1 file written/);
      expect((await pull(s, ann, ...during)).stderr).toMatch(/^0 files written .*, 1 unchanged\n$/);
    }
    const rows = timesFrom(`${DAY}T10:00:00Z`, 100).map((ms) => ({ ...rowAt(ms), timestamp: new Date(ms) }));
    const lines = textOf(folder, own, `${DAY}.jsonl`).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).timestamp)).toEqual(
      rows.map(({ timestamp }) => timestamp.toISOString()),
    );
    const file = new Uint8Array(readFileSync(join(folder, own, `${DAY}.parquet`)));
    expect(await parquetReadObjects({ file: file.buffer })).toEqual(rows);
  });

  it("downloads a day again after a late upload, and only that day", async ({ service: s }) => {
    const ann = await s.manager();
    const device = await ownedSince2024(s, ann);
    const morning = await walk(device.serial_number, `${DAY}T10:00:00Z`, 100);
    await s.load(device, ann, morning);
    await s.load(device, ann, await walk(device.serial_number, `${LATER}T10:00:00Z`, 50));
    const folder = newScratchFolder();
    const during = ["--out-dir", folder, "--format", "csv", "--from", DAY, "--to", LATER];
    await pull(s, ann, ...during);
    const late = await walk(device.serial_number, `${DAY}T15:00:00Z`, 70);
    await s.load(device, ann, late);
    expect((await pull(s, ann, ...during)).stderr).toMatch(/^1 file written .*, 1 unchanged\n$/);
    expect(textOf(folder, `serial=${device.serial_number}`, `${DAY}.csv`)).toBe(
      csvOf(morning) + csvOf(late).replace(/^.*\n/, ""),
    );
  });

  it("continues after an interruption, and never leaves an incomplete file", async ({ service: s }) => {
    const ann = await s.manager();
    const device = await ownedSince2024(s, ann);
    const days = Array.from({ length: 30 }, (_, i) => Date.parse(`${DAY}T10:00:00Z`) + i * 86_400_000);
    const times = days.flatMap((ms) => timesFrom(iso(ms), 200));
    await s.load(device, ann, await recordingOf(device.serial_number, times.map(rowAt)));
    const folder = newScratchFolder();
    const during = ["--out-dir", folder, "--format", "csv", "--from", DAY, "--to", "2024-04-10"];
    const proxy = await PathProxy.start("");
    proxy.target = s.service.url ?? "";
    proxy.holds = (path) => {
      const from = new URL(path, proxy.address).searchParams.get("from");
      return path.includes("/samples/") && Date.parse(from ?? "") > (days[14] ?? 0);
    };
    const { child, end } = startPull(proxy.address, ann.token, during);
    // These are both requests that asi pull makes at a time.
    await expect.poll(() => proxy.held).toBe(2);
    child.kill("SIGINT");
    expect(await end).toMatchObject({ status: null, signal: "SIGINT", stderr: "" });
    const names = days.map((ms) => `serial=${device.serial_number}/${iso(ms).slice(0, 10)}.csv`);
    expect(filesIn(folder)).toEqual(names.slice(0, 15));
    proxy.holds = () => false;
    const next = await startPull(proxy.address, ann.token, during).end;
    expect(next).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^15 files written .*, 15 unchanged\n$/),
    });
    expect(filesIn(folder)).toEqual(names);
    const linesOf = (name: string) => textOf(folder, name).trimEnd().split("\n").length;
    expect(names.filter((name) => linesOf(name) !== 201)).toEqual([]);
    await proxy.stop();
  });

  it("reports the remedy if the token is refused, and the reason if the account cannot have devices", async ({
    service: s,
  }) => {
    const folder = newScratchFolder();
    const refused = await startPull(s.service.url ?? "", "no-such-token", ["--out-dir", folder]).end;
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      /^asi: http:\S+ refuses the token: it is wrong, or has expired .*Get a new one, set ASI_TOKEN .*\(TOKEN_REFUSED\)\n$/,
    );
    expect(refused.stderr).not.toContain("no-such-token");
    const athlete = await pull(s, await s.athlete(), "--out-dir", folder);
    expect(athlete).toMatchObject({ status: 1, stderr: expect.stringContaining("(SERVICE_REFUSED)") });
    expect(filesIn(folder)).toEqual([]);
  });

  it("downloads only data from the ownerships of the account", async ({ service: s }) => {
    const [ann, bob] = [await s.manager(), await s.manager()];
    const device = await ownedSince2024(s, ann);
    const recording = await walk(device.serial_number, `${DAY}T10:00:00Z`, 100);
    await s.load(device, ann, recording);
    await s.release(device, ann);
    await s.take(device, bob);
    const [ofAnn, ofBob] = [newScratchFolder(), newScratchFolder()];
    const former = await pull(s, ann, "--out-dir", ofAnn, "--format", "csv", "--device", `${device.id}`);
    expect(former).toMatchObject({ status: 0, stderr: expect.stringMatching(/^1 file written/) });
    expect(textOf(ofAnn, `serial=${device.serial_number}`, `${DAY}.csv`)).toBe(csvOf(recording));
    expect((await pull(s, bob, "--out-dir", ofBob)).stderr).toMatch(/^0 files written/);
    const intoSame = await pull(s, bob, "--out-dir", ofAnn);
    expect(intoSame).toMatchObject({ status: 1, stderr: expect.stringContaining("(OTHER_ORIGIN)") });
  });
});
