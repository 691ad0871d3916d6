/** A server with a part of the samples goes away and comes back: its devices answer 503, the others do not notice. */
import { beforeAll, describe, expect, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import type { PostgresServer } from "./postgres.js";
import { walk } from "./recordings.js";
import { deviceOnEach, isSpread, startServers, storeOn } from "./sample-servers.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";

const PATIENCE = { timeout: 90_000, interval: 200 };
const START_MS = Date.parse("2024-03-01T10:00:00Z");
const range = new URLSearchParams({ start: String(START_MS), stop: String(START_MS + 3_600_000) });

describe.runIf(isSpread)("a server of samples that is away", () => {
  let servers: PostgresServer[];
  let s: TestService;
  let ann: TestAccount;
  let devices: TestDevice[];

  beforeAll(async () => {
    servers = await startServers(3);
    const store = await storeOn(servers);
    s = await TestService.startLasting(store, { rawDataCacheBytes: 0 });
    ann = await s.manager();
    devices = await deviceOnEach(s, ann, 3);
    for (const device of devices) {
      const loaded = await s.load(
        device,
        ann,
        await walk(device.serial_number, new Date(START_MS).toISOString(), 600),
      );
      expect(loaded.body.state).toBe("SUCCESS");
    }
    return async () => {
      await s.stop();
      await store.close();
      for (const server of servers) await server.stop();
    };
  });

  const page = ({ id }: TestDevice) => s.get(`/api/v1/devices/${id}/preprocessed-data/?${range}`, ann.token);
  const ready = async () => (await s.get("/health/ready/")).body;
  const device = (server: number) => devices[server] as TestDevice;

  async function expectOthersServed(): Promise<void> {
    for (const other of [1, 2]) {
      const startedAt = performance.now();
      expect((await page(device(other))).body.count).toBe(600);
      // A connection that waits for the lost server would wait for 2 s at least.
      expect(performance.now() - startedAt).toBeLessThan(1_900);
    }
  }

  it("because it has stopped: its devices answer 503 with Retry-After, the others as before, and it comes back by itself", async () => {
    const [lost] = servers as [PostgresServer];
    await lost.halt("fast");
    const refused = await page(device(0));
    expect(refused.status).toBe(503);
    expect(refused.headers.get("x-error-code")).toBe("unavailable");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await expectOthersServed();
    // Without its address, because anyone may ask.
    await expect.poll(ready, PATIENCE).toEqual({ status: "ok", sample_servers_away: 1 });
    expect(await s.service.app.metrics.metrics()).toMatch(
      new RegExp(`sample_server_up\\{server="127.0.0.1:${new URL(lost.url).port}/postgres"\\} 0`),
    );
    // A load of another device counts the samples of the account, of which some are on the lost server.
    const recording = await walk(device(1).serial_number, new Date(START_MS + 7_200_000).toISOString(), 10);
    expect((await s.load(device(1), ann, recording)).body.state).toBe("SUCCESS");
    // Retention removes what it can reach, and says that it could not reach the rest.
    await expect(applyRetention(s.computing)).rejects.toThrow();
    await lost.restart();
    await expect.poll(ready, PATIENCE).toEqual({ status: "ok" });
    expect((await page(device(0))).body.count).toBe(600);
  });

  it("a load that was accepted meanwhile is stored when it is back", async () => {
    const [lost] = servers as [PostgresServer];
    await lost.halt("fast");
    const recording = await walk(device(0).serial_number, new Date(START_MS + 86_400_000).toISOString(), 10);
    const asi_b64 = Buffer.from(recording).toString("base64");
    const { status, body } = await s.post(
      `/api/v1/devices/${device(0).id}/bulk-load/`,
      { asi_b64 },
      ann.token,
    );
    expect(status).toBe(200);
    await s.runJobs();
    const job = async () => (await s.get(`/api/v1/jobs/${body.job_id}/`, ann.token)).body;
    expect((await job()).state).toBe("PENDING");
    await lost.restart();
    await expect.poll(async () => (await ready()).sample_servers_away, PATIENCE).toBeUndefined();
    await expect
      .poll(async () => {
        await s.runJobs();
        return (await job()).state;
      }, PATIENCE)
      .toBe("SUCCESS");
    expect((await job()).details).toMatchObject({ samples_stored: 10 });
  });

  it("because it hangs: more readers than connections get 503 within seconds, and then the others do not wait at all", async () => {
    const [lost] = servers as [PostgresServer];
    // Every session has had a connection to the server.
    await Promise.all(Array.from({ length: 40 }, () => page(device(0))));
    lost.freeze();
    try {
      const startedAt = performance.now();
      const waiting = Array.from({ length: 40 }, () => page(device(0)));
      for (const { status } of await Promise.all(waiting)) expect(status).toBe(503);
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      await expect.poll(async () => (await ready()).sample_servers_away, PATIENCE).toBe(1);
      await expectOthersServed();
      const again = performance.now();
      expect((await page(device(0))).status).toBe(503);
      expect(performance.now() - again).toBeLessThan(1_900);
    } finally {
      lost.thaw();
    }
    await expect.poll(ready, PATIENCE).toEqual({ status: "ok" });
    expect((await page(device(0))).body.count).toBe(600);
  });
});
