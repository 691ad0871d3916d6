/** Tests two API processes on one PostgreSQL database; the embedded database allows only one process. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newStore } from "./databases.js";
import { Processes, type RunningProcess } from "./processes.js";
import { walk } from "./recordings.js";
import { newScratchFolder } from "./scratch.js";
import { TestService } from "./service.js";

const USER_LIMIT = 60;
const DEVICES = 12;
const RIVALS = 6;

/** Returns a new name each time, because the tests in this file share a database. */
const fresh = (name: string) => `${name}-${randomBytes(4).toString("hex")}`;

describe.runIf(process.env.TEST_DATABASE === "postgres")("two API processes", () => {
  let processes: Processes;
  let pair: [RunningProcess, RunningProcess];

  beforeAll(async () => {
    processes = await Processes.onNewDatabase({ THROTTLE_USER_PER_MINUTE: String(USER_LIMIT) });
    pair = await Promise.all([processes.start("--role", "api"), processes.start("--role", "api")]);
  });

  afterAll(() => processes.end());

  it("migrate once and share accounts, tokens and devices", async () => {
    const username = fresh("ann");
    const ann = await processes.manager(pair[0], username);
    const { status, body } = await pair[1].send("GET", "/api/v1/account/", ann.token);
    expect([status, body.username]).toEqual([200, username]);
  });

  it("throttle one user together, with an exact count", async () => {
    const bob = await processes.manager(pair[0], fresh("bob"));
    const calls = await Promise.all(
      Array.from({ length: 2 * USER_LIMIT }, (_, index) =>
        pair[index % 2 === 0 ? 0 : 1].send("GET", "/api/v1/account/", bob.token),
      ),
    );
    expect(calls.filter(({ status }) => status === 200)).toHaveLength(USER_LIMIT);
    const refused = calls.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(USER_LIMIT);
    for (const { headers } of refused) {
      const wait = Number(headers.get("retry-after"));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60);
    }
  });

  it("let only one of many concurrent managers take a device", async () => {
    const csv = join(newScratchFolder(), "devices.csv");
    const devices = Array.from({ length: DEVICES }, (_, index) => ({
      serial_number: fresh(`S${index}`),
      device_name: `N${index}`,
    }));
    const lines = devices.map(({ serial_number, device_name }) => `${serial_number},${device_name},T`);
    writeFileSync(csv, `serial_number,device_name,device_type\n${lines.join("\n")}\n`);
    expect(await processes.command("device", "import", csv)).toEqual({ added: DEVICES });
    const rivals = await Promise.all(
      Array.from({ length: RIVALS }, (_, index) => processes.manager(pair[0], fresh(`rival-${index}`))),
    );
    const holders = await Promise.all(
      devices.map(async (device) => {
        const statuses = await Promise.all(
          rivals.map(async ({ token }, index) => {
            const process = pair[index % 2 === 0 ? 0 : 1];
            return (await process.send("POST", "/api/v1/devices/take-ownership/", token, device)).status;
          }),
        );
        expect([...statuses].sort()).toEqual([201, ...Array(RIVALS - 1).fill(403)]);
        return statuses.indexOf(201);
      }),
    );
    const owned = await Promise.all(
      rivals.map(
        async ({ token }) => (await pair[1].send("GET", "/api/v1/devices/?current=true", token)).body.count,
      ),
    );
    expect(owned).toEqual(rivals.map((_, index) => holders.filter((holder) => holder === index).length));
  });
});

describe("two caches", () => {
  it("return the same page after a load, whichever process has cached it before", async () => {
    const store = await newStore();
    const one = await TestService.start(store);
    const two = await TestService.start(store);
    const ann = await one.manager();
    const device = await one.ownedDevice(ann);
    const start = "2024-03-01T10:00:00.000Z";
    await one.backdate(device, "2024-01-01T00:00:00Z");
    const startMs = Date.parse(start);
    const path = `/api/v1/devices/${device.id}/raw-data/?start=${startMs}&stop=${startMs + 60_000}`;
    const pages = () => Promise.all([one, two].map((service) => service.get(path, ann.token)));
    const counts = async () => (await pages()).map(({ body }) => body.count);
    expect((await one.get(path, ann.token)).body.count).toBe(0);
    await one.load(device, ann, await walk(device.serial_number, start, 10));
    expect(await counts()).toEqual([10, 10]);
    const [first, second] = await pages();
    expect(first?.headers.get("etag")).toBe(second?.headers.get("etag"));
    // A revoked right ends immediately in both processes.
    await one.release(device, ann);
    const token = await one.logIn(ann.username, ann.password);
    const later = `/api/v1/devices/${device.id}/latest-raw-data/`;
    expect((await two.get(later, token)).status).toBe(403);
  });
});
