import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import { asi, endOf, scratchFolder, startAsi, textOf } from "./asi-process.js";
import { sendJson, standIn, startStandIn, TOKEN } from "./service-stand-in.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Saturday. */
const NOON = Date.parse("2026-05-16T12:00:00Z");

/** A sample each second for a minute. */
const minuteFrom = (ms: number) => Array.from({ length: 60 }, (_, i) => ms + i * 1000);

const rover = (times = [...minuteFrom(NOON), ...minuteFrom(NOON + DAY_MS)]) => ({
  id: 7,
  serial: "ROVER-1",
  times,
});

const pull = (address: string, cwd: string, ...args: string[]) =>
  asi(["pull", address, "-d", "data", ...args], { cwd, env: { ASI_TOKEN: TOKEN } });

const filesIn = (folder: string) =>
  readdirSync(join(folder, "data"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 6))
    .sort();

const DATA = ["serial=ROVER-1/2026-05-16.parquet", "serial=ROVER-1/2026-05-17.parquet"];
const LIST = "serial=ROVER-1/.asi-pull.json";

describe("asi pull", () => {
  test("writes files that DuckDB reads by a file name pattern, with the serial number as a column", async () => {
    const folder = scratchFolder();
    const devices = ["A", "B", "C"].map((serial, i) => ({ ...rover(), id: i + 1, serial }));
    const { address } = await standIn(devices);
    expect(await pull(address, folder)).toMatchObject({
      status: 0,
      stderr: "6 files written (0.0 MB), 0 unchanged\n",
    });
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const result = await connection.runAndReadAll(
      `SELECT serial, count(*)::INT AS rows, min(timestamp)::VARCHAR AS first FROM '${folder}/data/*/*.parquet' GROUP BY serial ORDER BY serial`,
    );
    expect(result.getRowObjects()).toEqual(
      ["A", "B", "C"].map((serial) => ({ serial, rows: 120, first: "2026-05-16 12:00:00+00" })),
    );
  });

  test("downloads a day again only after samples were added or removed", async () => {
    const folder = scratchFolder();
    const device = rover();
    const { address, requests } = await standIn([device]);
    await pull(address, folder, "--format", "csv");
    device.times = [...minuteFrom(NOON), ...minuteFrom(NOON + HOUR_MS), ...minuteFrom(NOON + DAY_MS)];
    requests.length = 0;
    expect((await pull(address, folder, "--format", "csv")).stderr).toMatch(
      /^1 file written .*, 1 unchanged\n$/,
    );
    expect(requests.filter((path) => path.includes("/samples/"))).toEqual([
      expect.stringContaining("from=2026-05-16T00%3A00%3A00.000Z&to=2026-05-17"),
    ]);
    expect(textOf(folder, "data/serial=ROVER-1/2026-05-16.csv").trim().split("\n")).toHaveLength(121);
    device.times = minuteFrom(NOON);
    expect((await pull(address, folder, "--format", "csv")).stderr).toMatch(
      /^ROVER-1: the service no longer has the samples of 2026-05-17\.csv; asi pull does not remove files\.\n1 file written/,
    );
  });

  test("downloads missing or truncated files again, and all files with --force", async () => {
    const folder = scratchFolder();
    const { address } = await standIn([rover()]);
    await pull(address, folder);
    expect(filesIn(folder)).toEqual([LIST, ...DATA]);
    writeFileSync(join(folder, "data", DATA[0] ?? ""), "PAR1");
    expect((await pull(address, folder)).stderr).toMatch(/^1 file written .*, 1 unchanged\n$/);
    expect((await pull(address, folder, "--force")).stderr).toMatch(/^2 files written .*, 0 unchanged\n$/);
    writeFileSync(join(folder, "data", LIST), "{");
    expect((await pull(address, folder)).stderr).toMatch(/^2 files written .*, 0 unchanged\n$/);
  });

  test("selects devices by serial number or id, and whole days in a time zone", async () => {
    const folder = scratchFolder();
    const evening = rover([...minuteFrom(NOON), ...minuteFrom(NOON + 11 * HOUR_MS)]);
    const { address } = await standIn([evening, { ...evening, id: 8, serial: "OTHER" }]);
    const { stdout } = await pull(
      address,
      folder,
      ...["--device", "7", "--from", "2026-05-17", "--tz", "Europe/Zurich", "--json"],
    );
    expect(JSON.parse(stdout)).toEqual({
      file: "data/serial=ROVER-1/2026-05-17.parquet",
      device: 7,
      serial: "ROVER-1",
      date: "2026-05-17",
      bytes: expect.any(Number),
    });
    const none = await pull(address, folder, "--device", "9");
    expect([none.status, none.stderr]).toEqual([
      2,
      expect.stringContaining('The account has no device "9". It has OTHER, ROVER-1.'),
    ]);
  });

  test("refuses a folder with files of another account or time zone, whose days would overlap", async () => {
    const folder = scratchFolder();
    const { address } = await standIn([rover()]);
    await pull(address, folder);
    const { status, stderr } = await pull(address, folder, "--tz", "Asia/Tokyo");
    expect(stderr).toMatch(
      /^asi: ROVER-1: data\/serial=ROVER-1 contains files of .*, account 5, device 7, with days in UTC; choose another folder\. \(OTHER_ORIGIN\)\n0 files written .*, 1 device failed\n$/,
    );
    expect(status).toBe(1);
  });

  test("names the folder of a device by its id if the serial number is not a valid file name", async () => {
    const folder = scratchFolder();
    const { address } = await standIn([{ ...rover(minuteFrom(NOON)), serial: "../../escape" }]);
    await pull(address, folder);
    expect(filesIn(folder)).toEqual(["serial=id-7/.asi-pull.json", "serial=id-7/2026-05-16.parquet"]);
  });

  test("uses a separate folder for each device, even if a file system ignores case, and continues in the folder of a device", async () => {
    const folder = scratchFolder();
    const devices = [{ ...rover(minuteFrom(NOON)), id: 8, serial: "AB-1" }];
    const { address } = await standIn(devices);
    await pull(address, folder);
    devices.push({ ...rover(minuteFrom(NOON)), id: 3, serial: "ab-1" });
    expect((await pull(address, folder)).stderr).toMatch(/^1 file written .*, 1 unchanged\n$/);
    expect(filesIn(folder).filter((name) => name.endsWith(".parquet"))).toEqual([
      "serial=AB-1/2026-05-16.parquet",
      "serial=id-3/2026-05-16.parquet",
    ]);
  });
});

describe("asi pull, to protect the token", () => {
  test("does not follow a redirect", async () => {
    const other = await standIn([rover()]);
    const { address } = await standIn([], (_, response) => {
      response.writeHead(307, { Location: `${other.address}/api/v1/account/` }).end();
      return true;
    });
    const { status, stderr } = await pull(address, scratchFolder());
    expect(stderr).toMatch(/ redirects to http:.*The token was not sent there;.* \(NOT_A_SERVICE\)\n$/);
    expect(status).toBe(1);
    expect(other.requests).toEqual([]);
  });

  test.each<[string, string[], RegExp]>([
    [
      "plain http to a different machine",
      ["http://club.example"],
      /read the token\. Use https:\/\/, or add --allow-http/,
    ],
    ["a password in the address", ["https://ann:secret@club.example"], /use a token in ASI_TOKEN/],
    ["no address", ["club.example"], /such as https:\/\/club\.example/],
    ["an address with a query", ["https://club.example/?a=1"], /without its query and fragment/],
    ["two tokens", ["https://club.example", "--token-file", "two"], /two contains more than one token/],
    ["an empty file", ["https://club.example", "--token-file", "empty"], /empty contains no token/],
    ["no date", ["https://club.example", "--from", "2026-05-16T10:00"], /such as 2025-05-17/],
    [
      "an end before the start",
      ["https://club.example", "--from", "2026-05-16", "--to", "2026-05-15"],
      /--from is later/,
    ],
  ])("refuses %s as incorrect usage", async (_, args, message) => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "two"), "one two\n");
    writeFileSync(join(folder, "empty"), "\n");
    const { status, stderr } = await pull(args[0] ?? "", folder, ...args.slice(1));
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(stderr).not.toContain("secret");
    expect(readdirSync(folder)).toEqual(["empty", "two"]);
  });

  test("reports a missing token with the ways to pass it, and can read it from a file", async () => {
    const folder = scratchFolder();
    const { address } = await standIn([rover()]);
    const without = await asi(["pull", address, "-d", "data"], { cwd: folder, env: { ASI_TOKEN: "" } });
    expect([without.status, without.stderr]).toEqual([
      2,
      expect.stringContaining("Set the environment variable ASI_TOKEN"),
    ]);
    writeFileSync(join(folder, "token"), `${TOKEN}\n`);
    const { status } = await asi(["pull", address, "-d", "data", "--token-file", "token"], { cwd: folder });
    expect(status).toBe(0);
  });
});

describe("asi pull, if the service fails", () => {
  test("waits for the time that the service requests, and repeats the request", async () => {
    const folder = scratchFolder();
    let refusals = 0;
    const { address } = await standIn([rover()], ({ pathname }, response) => {
      if (!pathname.includes("/samples/") || refusals === 4) return false;
      refusals += 1;
      response.writeHead(refusals % 2 === 0 ? 429 : 503, { "Retry-After": "0" }).end();
      return true;
    });
    expect(await pull(address, folder)).toMatchObject({ status: 0 });
    expect([refusals, filesIn(folder)]).toEqual([4, [LIST, ...DATA]]);
  });

  test.each([
    ["loses the connection in the middle of a file", ({ socket }: ServerResponse) => socket?.destroy()],
    ["receives a truncated file", (response: ServerResponse) => response.end()],
  ])("requests the file again when it %s", async (_, breakOff) => {
    const folder = scratchFolder();
    let broken = 0;
    const { address } = await standIn([rover(minuteFrom(NOON))], ({ pathname }, response) => {
      if (!pathname.includes("/samples/") || broken > 0) return false;
      broken += 1;
      response.writeHead(200);
      response.write("PAR1 and then nothing", () => breakOff(response));
      return true;
    });
    expect(await pull(address, folder)).toMatchObject({ status: 0 });
    expect(filesIn(folder)).toEqual([LIST, DATA[0]]);
    expect(textOf(folder, `data/${DATA[0]}`)).toMatch(/PAR1$/);
  });

  test("ends immediately if there is no response, or a response that is not from the service", async () => {
    const gone = await startStandIn([]);
    gone.stop();
    const nobody = await pull(gone.address, scratchFolder());
    expect([nobody.status, nobody.stderr]).toEqual([
      1,
      expect.stringMatching(/^asi: http:.* cannot be reached: .*ECONNREFUSED.*\. \(SERVICE_UNAVAILABLE\)\n$/),
    ]);
    const { address } = await standIn([], (_, response) => {
      response.writeHead(200).end("<html>");
      return true;
    });
    expect((await pull(address, scratchFolder())).stderr).toBe(
      `asi: ${address}/ is not the address of an asi-server. (NOT_A_SERVICE)\n`,
    );
  });

  test("refuses ranges outside the requested time, which could have millions of days", async () => {
    const { address } = await standIn([rover()], ({ pathname }, response) => {
      if (!pathname.endsWith("preprocessed-data-ranges/")) return false;
      const range = { start: "1000-01-01T00:00:00Z", stop: "9000-01-01T00:00:00Z", size: 1 };
      sendJson(response, { count: 1, page: 1, next: null, previous: null, results: [range] });
      return true;
    });
    expect((await pull(address, scratchFolder())).stderr).toContain(
      "The service lists samples from 1000-01-01T00:00:00Z to 9000-01-01T00:00:00Z, outside the requested time. (NOT_A_SERVICE)",
    );
  });

  test("continues with the other devices if one is refused", async () => {
    const folder = scratchFolder();
    const { address } = await standIn(
      [{ ...rover(), id: 1, serial: "A" }, rover()],
      ({ pathname }, response) => {
        if (!pathname.includes("/devices/1/")) return false;
        response.writeHead(403, { "X-Error-Code": "permission_denied" }).end('{"detail":"Not yours."}');
        return true;
      },
    );
    const { status, stderr } = await pull(address, folder);
    expect(stderr).toMatch(
      /^asi: A: The service refuses the request \(403\): Not yours\. \(SERVICE_REFUSED\)\n2 files written .*, 1 device failed\n$/,
    );
    expect([status, filesIn(folder)]).toEqual([1, [LIST, ...DATA]]);
  });

  test("leaves no incomplete file when it is interrupted, and continues with the next run", async () => {
    const folder = scratchFolder();
    let isSlow = true;
    let onBegun = () => {};
    const begun = new Promise<void>((resolve) => {
      onBegun = resolve;
    });
    const { address } = await standIn([rover()], ({ pathname, search }, response) => {
      if (!isSlow || !pathname.includes("/samples/") || search.includes("from=2026-05-16")) return false;
      response.writeHead(200);
      response.write("PAR1", onBegun);
      return true;
    });
    mkdirSync(join(folder, "data"));
    const child = startAsi(["pull", address, "-d", "data", "--json"], {
      cwd: folder,
      env: { ASI_TOKEN: TOKEN },
    });
    const end = endOf(child);
    const oneFile = new Promise((resolve) => child.stdout.once("data", resolve));
    await Promise.all([oneFile, begun]);
    child.kill("SIGINT");
    expect(await end).toMatchObject({ status: null, signal: "SIGINT", stderr: "" });
    expect(filesIn(folder)).toEqual([LIST, DATA[0]]);
    isSlow = false;
    expect((await pull(address, folder)).stderr).toMatch(/^1 file written .*, 1 unchanged\n$/);
    expect(filesIn(folder)).toEqual([LIST, ...DATA]);
  });
});
