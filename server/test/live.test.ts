/** Tests live data in server-sent events. */
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/operator/commands.js";
import { liveConnections } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { EventClient } from "./event-source.js";
import { Processes } from "./processes.js";
import { recordingOf, rowAt, sampleAt, timesFrom, walk } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";

// Use a separate database, because these tests run jobs.
let s: TestService;
/** Starts another process on the same database. */
let other: TestService;
let ann: TestAccount;
let device: TestDevice;

const START = "2024-03-01T10:00:00.000Z";
const START_MS = Date.parse(START);
/** Use a shorter interval than in production, because tests should not wait. */
const settings = { livePollMs: 50, liveHeartbeatMs: 100 };

beforeAll(async () => {
  const store = await newStore();
  s = await TestService.start(store, settings);
  other = await TestService.start(store, settings);
  ann = await s.manager();
  device = await s.longOwned(ann);
  await load(device, START_MS, 1);
});

afterAll(async () => {
  await Promise.all([s.stop(), other.stop()]);
  await s.store.close();
});

const open: EventClient[] = [];

afterEach(() => {
  for (const client of open.splice(0)) client.leave();
});

async function follow(
  followed: TestDevice = device,
  { at = s, headers = {} as Record<string, string>, by = ann } = {},
): Promise<EventClient> {
  const client = await EventClient.open(`${at.service.url}/api/v1/devices/${followed.id}/live/`, {
    Authorization: `Bearer ${by.token}`,
    ...headers,
  });
  open.push(client);
  return client;
}

/** Stores `count` samples of the walk from the given time. */
const load = async (into: TestDevice, startMs: number, count: number) =>
  s.load(into, ann, await walk(into.serial_number, new Date(startMs).toISOString(), count));

const samplesFrom = (startMs: number, count: number) =>
  timesFrom(new Date(startMs).toISOString(), count).map(sampleAt);

/** Waits until a condition holds in the database. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

const connectionsTo = async ({ id }: TestDevice) =>
  s.store.database.queries.$count(liveConnections, eq(liveConnections.target, `device ${id}`));

describe("live data", () => {
  it("begin with the newest sample and continue with later samples, in chronological order", async () => {
    const own = await s.longOwned(ann);
    await load(own, START_MS, 20);
    const client = await follow(own);
    expect([client.status, client.headers["content-type"], client.headers["cache-control"]]).toEqual([
      200,
      "text/event-stream",
      "no-store",
    ]);
    const newestMs = START_MS + 1_900;
    expect(await client.next()).toEqual({
      event: "samples",
      id: String(newestMs),
      data: [sampleAt(newestMs)],
    });
    expect(client.retryMs).toBe(3_000);
    await load(own, newestMs + 100, 30);
    expect(await client.next()).toEqual({
      event: "samples",
      id: String(newestMs + 3_000),
      data: samplesFrom(newestMs + 100, 30),
    });
  });

  it("include all samples in the first batch of a device, not only the newest", async () => {
    const own = await s.longOwned(ann);
    const client = await follow(own);
    const next = client.next();
    await until(async () => client.comments.length > 0);
    await load(own, START_MS, 10);
    expect((await next)?.data).toEqual(samplesFrom(START_MS, 10));
  });

  it("include late samples once, and continue from the newest", async () => {
    const own = await s.longOwned(ann);
    await load(own, START_MS, 20);
    const client = await follow(own);
    await client.next();
    await load(own, START_MS - 600_000, 10);
    expect(await client.next()).toMatchObject({
      event: "late",
      id: String(START_MS + 1_900),
      data: samplesFrom(START_MS - 600_000, 10),
    });
    // The recordings contain samples between the existing ones, and some existing samples again.
    await load(own, START_MS - 599_500, 10);
    expect((await client.next())?.data).toEqual(samplesFrom(START_MS - 599_000, 5));
    // Late and new samples in one load are sent as two events.
    await s.load(
      own,
      ann,
      await recordingOf(own.serial_number, [START_MS - 500_000, START_MS + 1_950].map(rowAt)),
    );
    expect(await client.next()).toMatchObject({ event: "late", data: [sampleAt(START_MS - 500_000)] });
    expect(await client.next()).toMatchObject({ event: "samples", data: [sampleAt(START_MS + 1_950)] });
    await load(own, START_MS + 2_000, 1);
    expect(await client.next()).toMatchObject({
      event: "samples",
      id: String(START_MS + 2_000),
      data: [sampleAt(START_MS + 2_000)],
    });
  });

  it("do not include recordings from before the last four periods with samples", async () => {
    const own = await s.longOwned(ann);
    for (const minutes of [0, 5, 10, 15]) await load(own, START_MS + minutes * 60_000, 1);
    const client = await follow(own);
    await client.next();
    await load(own, START_MS - 3_600_000, 10);
    await load(own, START_MS + 900_100, 1);
    expect((await client.next())?.data).toEqual([sampleAt(START_MS + 900_100)]);
  });

  it("continue after a sample with a future time, in the same connection and in the next one", async () => {
    const own = await s.longOwned(ann);
    const nowMs = Math.floor(s.clock.now().getTime() / 1000) * 1000;
    await load(own, nowMs - 10_000, 1);
    const client = await follow(own);
    await client.next();
    await load(own, nowMs + 240_000, 1);
    const ahead = await client.next();
    expect(ahead?.data).toEqual([sampleAt(nowMs + 240_000)]);
    await load(own, nowMs - 5_000, 10);
    expect(await client.next()).toMatchObject({ event: "samples", data: samplesFrom(nowMs - 5_000, 10) });
    client.leave();
    // Samples up to the time when the client disconnected are old.
    const idMs = Number(ahead?.id);
    expect(idMs).toBeLessThan(nowMs + 240_000);
    await load(own, idMs + 1_000, 2);
    const again = await follow(own, { headers: { "Last-Event-ID": String(idMs) } });
    expect((await again.next())?.data).toEqual([...samplesFrom(idMs + 1_000, 2), sampleAt(nowMs + 240_000)]);
  });

  it("continue after the last event that the client received, with at most the newest 300 samples", async () => {
    const own = await s.longOwned(ann);
    await load(own, START_MS, 400);
    const afterMs = START_MS + 39_000;
    const short = await follow(own, { headers: { "Last-Event-ID": String(afterMs) } });
    expect((await short.next())?.data).toEqual(samplesFrom(afterMs + 100, 9));
    const long = await follow(own, { headers: { "Last-Event-ID": "1" } });
    expect((await long.next())?.data).toEqual(samplesFrom(START_MS + 10_000, 300));
    const wrong = await follow(own, { headers: { "Last-Event-ID": "yesterday" } });
    expect((await wrong.next())?.data).toEqual([sampleAt(START_MS + 39_900)]);
  });

  it("contain comments while a device has nothing to send", async () => {
    const silent = await s.longOwned(ann);
    const client = await follow(silent);
    const next = client.next();
    await until(async () => client.comments.length >= 2);
    expect(client.comments[0]).toBe("still here");
    await load(silent, START_MS, 1);
    expect((await next)?.data).toEqual([sampleAt(START_MS)]);
  });

  it("are available only to the owner of the device and to clients that accept events", async () => {
    const ben = await s.manager();
    const path = `/api/v1/devices/${device.id}/live/`;
    const statuses = await Promise.all([
      s.get(path),
      s.get(path, ben.token),
      s.get("/api/v1/devices/999999999/live/", ann.token),
      s.get(path, ann.token, { Accept: "application/json" }),
      s.send("HEAD", path, { token: ann.token }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 404, 406, 200]);
  });

  it("continue on the user's open connection after a HEAD request", async () => {
    const own = await s.longOwned(ann);
    await load(own, START_MS, 1);
    const client = await follow(own);
    await client.next();
    await s.send("HEAD", `/api/v1/devices/${own.id}/live/`, { token: ann.token });
    await load(own, START_MS + 600_000, 1);
    expect((await client.next())?.data).toEqual([sampleAt(START_MS + 600_000)]);
  });
});

describe("a connection with live data ends", () => {
  it("when its user opens another one for the device, in this process or another", async () => {
    for (const at of [s, other]) {
      const old = await follow();
      const second = await follow(device, { at });
      expect(await old.end()).toBe("replaced");
      expect((await second.next())?.event).toBe("samples");
    }
    const elsewhere = await s.longOwned(ann);
    await load(elsewhere, START_MS, 1);
    const [one, two] = [await follow(), await follow(elsewhere)];
    expect([(await one.next())?.event, (await two.next())?.event]).toEqual(["samples", "samples"]);
  });

  it("when its user signs out", async () => {
    const page = { "X-Asi-Page": "1" };
    const { username, password } = ann;
    const { headers } = await s.send("POST", "/session/", { json: { username, password }, headers: page });
    const cookie = headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
    const client = await EventClient.open(`${s.service.url}/api/v1/devices/${device.id}/live/`, {
      Cookie: cookie,
      ...page,
    });
    open.push(client);
    await client.next();
    await s.send("DELETE", "/session/", { headers: { Cookie: cookie, ...page } });
    expect(await client.end()).toBe("signed_out");
  });

  it("when the operator revokes the tokens of its user", async () => {
    const ben = await s.manager();
    const bens = await s.ownedDevice(ben);
    const client = await follow(bens, { by: ben });
    await commands["session revoke"](s.ctx, { username: ben.username });
    expect(await client.end()).toBe("signed_out");
  });

  it("when the device gets another owner, without sending any sample of that owner", async () => {
    const passed = await s.longOwned(ann);
    await load(passed, START_MS, 1);
    const client = await follow(passed);
    expect((await client.next())?.data).toEqual([sampleAt(START_MS)]);
    const ben = await s.manager();
    await s.release(passed, ann);
    await s.take(passed, ben);
    const now = new Date(s.clock.now().getTime() + 1_000).toISOString();
    await s.load(passed, ben, await walk(passed.serial_number, now, 5));
    const events = [];
    for (let event = await client.next(); event !== null; event = await client.next()) events.push(event);
    expect(events.map(({ event, data }) => [event, data])).toEqual([["end", { reason: "not_permitted" }]]);
  });

  it("when the client disconnects, and releases its row and its slot", async () => {
    const own = await s.longOwned(ann);
    const at = await TestService.start(s.store, settings);
    const openNow = async () => {
      const text = await at.service.app.metrics.getSingleMetricAsString("asi_live_connections");
      return Number(/^asi_live_connections (\d+)$/m.exec(text)?.[1]);
    };
    const client = await follow(own, { at });
    expect([await connectionsTo(own), await openNow()]).toEqual([1, 1]);
    client.leave();
    await until(async () => (await connectionsTo(own)) === 0);
    expect(await openNow()).toBe(0);
  });

  it("when the process stops, before it is aborted", async () => {
    const processes = await Processes.onNewDatabase();
    const running = await processes.start();
    const { token } = await processes.manager(running, "ann");
    const id = await processes.ownedDevice(running, token, "LIVE1");
    const client = await EventClient.open(`${running.url}/api/v1/devices/${id}/live/`, {
      Authorization: `Bearer ${token}`,
    });
    const [reason, status] = await Promise.all([client.end(), running.terminate()]);
    expect([reason, status]).toEqual(["stopping", 0]);
    expect(running.output()).not.toContain("cut off");
  });
});

describe("connections with live data", () => {
  it("count as requests for raw data, and are limited to 32 per user", async () => {
    const limited = await TestService.start(s.store, { ...settings, throttleRawDataPerMinute: 2 });
    const ben = await s.manager();
    const bens = await s.ownedDevice(ben);
    const statuses: unknown[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await follow(bens, { at: limited, by: ben })).status);
    expect(statuses).toEqual([200, 200, 429]);
    const eve = await s.manager();
    const devices = await Promise.all(Array.from({ length: 33 }, () => s.ownedDevice(eve)));
    const clients: EventClient[] = [];
    for (const one of devices) clients.push(await follow(one, { by: eve }));
    expect(clients.map(({ status }) => status)).toEqual([...Array(32).fill(200), 429]);
    expect(Number(clients[32]?.headers["retry-after"])).toBeGreaterThan(0);
    // A connection that replaces another one does not add to the count.
    const [again] = devices;
    if (again !== undefined) expect((await follow(again, { by: eve })).status).toBe(200);
  });
});
