import { createHook } from "node:async_hooks";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGE_LIFETIME_MS } from "../src/domain/raw-data/page-cache.js";
import { applyRetention } from "../src/jobs/retention.js";
import { auditLog } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { sampleAt, timesFrom, walk } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";

// Use a separate database, because these tests run jobs.
let s: TestService;
let ann: TestAccount;
let bob: TestAccount;
let device: TestDevice;

const START = "2024-03-01T10:00:00.000Z";
const START_MS = Date.parse(START);
const iso = (ms: number) => new Date(ms).toISOString();

beforeAll(async () => {
  s = await TestService.start(await newStore());
  [ann, bob] = await Promise.all([s.manager(), s.manager()]);
  device = await s.longOwned(ann);
  // The recordings form two ranges: a minute at 10 Hz, and a second one 5 minutes and 1 ms later.
  await s.load(device, ann, await walk(device.serial_number, START, 600));
  await s.load(device, ann, await walk(device.serial_number, iso(START_MS + 59_900 + 300_001), 50));
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

const page = (query: Record<string, string | number>, by = ann, id: number | string = device.id, at = s) =>
  at.get(
    `/api/v1/devices/${id}/preprocessed-data/?${new URLSearchParams(query as Record<string, string>)}`,
    by.token,
  );
const ranges = (query: Record<string, string | number>, by = ann) =>
  s.get(
    `/api/v1/devices/${device.id}/preprocessed-data-ranges/?${new URLSearchParams(query as Record<string, string>)}`,
    by.token,
  );

describe("raw data", () => {
  it("a page of samples contains the samples from start to stop, both inclusive, in chronological order", async () => {
    const { status, headers, body } = await page({ start: START_MS + 100, stop: START_MS + 1_000 });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(body).toEqual({
      count: 10,
      page: 1,
      next: null,
      previous: null,
      results: timesFrom(iso(START_MS + 100), 10).map(sampleAt),
    });
    expect(Object.keys(body.results[0])).toEqual([
      "gnss.altitude",
      "gnss.latitude",
      "gnss.longitude",
      "gnss.speed",
      "gnss.timestamp",
      "ecg.hr",
    ]);
  });

  it("pages of samples end with the last sample", async () => {
    const bounds = { start: START, stop: iso(START_MS + 59_900) };
    const second = await page({ ...bounds, limit: 250, page: 2 });
    expect(second.body).toMatchObject({ count: 600, page: 2, next: 3, previous: 1 });
    expect(second.body.results).toEqual(timesFrom(iso(START_MS + 25_000), 250).map(sampleAt));
    expect((await page({ ...bounds, limit: 250, page: 3 })).body).toMatchObject({ next: null, previous: 2 });
    for (const beyond of [4, 0, "x"]) {
      const { status, body } = await page({ ...bounds, limit: 250, page: beyond });
      expect([status, body]).toEqual([404, { detail: "Invalid page." }]);
    }
    for (const limit of [0, "many", 99_999])
      expect((await page({ ...bounds, limit })).body.results).toHaveLength(600);
    const nothing = await page({ start: "2024-02-01T00:00:00Z", stop: "2024-02-01T01:00:00Z" });
    expect([nothing.status, nothing.body]).toEqual([
      200,
      { count: 0, page: 1, next: null, previous: null, results: [] },
    ]);
  });

  it("a page of samples accepts times in milliseconds and date-times of all forms", async () => {
    const first = sampleAt(START_MS);
    for (const start of [
      START_MS,
      START,
      "2024-03-01T10:00:00",
      "2024-03-01 11:00:00+01:00",
      "2024-03-01T05:30:00.000-0430",
      "20240301T100000Z",
      "2024-03-01T08:00:00-02",
    ]) {
      expect((await page({ start, stop: START_MS })).body.results).toEqual([first]);
    }
    expect((await page({ start: -1, stop: 0 })).status).toBe(403);
  });

  it("a page of samples refuses bounds that are missing, invalid, in the wrong order or too far apart", async () => {
    const missing = await page({});
    expect([missing.status, missing.body]).toEqual([
      400,
      { start: ["This field is required."], stop: ["This field is required."] },
    ]);
    for (const start of ["yesterday", "2024-02-30T00:00:00Z", "1e3", "9".repeat(30)]) {
      const { status, body } = await page({ start, stop: START_MS });
      expect([start, status, Object.keys(body)]).toEqual([start, 400, ["start"]]);
    }
    const plus = await page({ start: "2024-03-01T11:00:00 01:00", stop: START_MS });
    expect([plus.status, plus.body.start?.[0]]).toEqual([400, expect.stringContaining("%2B")]);
    const oldPlus = await page({ start_iso: "20240301T110000 01", stop: START_MS });
    expect([oldPlus.status, oldPlus.body.start_iso?.[0]]).toEqual([400, expect.stringContaining("%2B")]);
    expect((await page({ start: START_MS, stop: START_MS - 1 })).body).toEqual({
      stop: ["Must not be before start."],
    });
    const twoDays = 2 * 86_400_000;
    expect((await page({ start: START_MS, stop: START_MS + twoDays })).status).toBe(200);
    const longer = await page({ start: START_MS, stop: START_MS + twoDays + 1 });
    expect([longer.status, longer.headers.get("x-error-code")]).toEqual([400, "range_too_long"]);
  });

  it("a page of samples accepts the deprecated bounds with a warning, and prefers the new bounds", async () => {
    const old = await page({ start_iso: START, stop_iso: START });
    expect([old.status, old.body.count, old.headers.get("deprecation")]).toEqual([200, 1, "@1704067200"]);
    expect(old.headers.get("link")).toContain('rel="deprecation"');
    const both = await page({
      start: START_MS,
      stop: START_MS + 100,
      start_iso: "nonsense",
      stop_iso: START,
    });
    expect([both.status, both.body.count]).toEqual([200, 2]);
    expect((await page({ start: START_MS, stop: START_MS })).headers.get("deprecation")).toBeNull();
    const wrong = await page({ start_iso: "nonsense", stop_iso: START });
    expect([wrong.status, Object.keys(wrong.body), wrong.headers.get("deprecation")]).toEqual([
      400,
      ["start_iso"],
      "@1704067200",
    ]);
  });

  it("a page of samples has an alias, and is available to managers who have ever owned the device", async () => {
    const query = `start=${START_MS}&stop=${START_MS}`;
    expect((await s.get(`/api/v1/devices/${device.id}/raw-data/?${query}`, ann.token)).body.count).toBe(1);
    expect((await page({}, bob)).status).toBe(403);
    expect((await page({}, await s.athlete())).status).toBe(403);
    expect((await page({}, ann, 999_999)).status).toBe(404);
    expect((await s.get(`/api/v1/devices/${device.id}/raw-data/?${query}`)).status).toBe(403);
  });

  it("a page of samples contains for each owner only the samples from that owner's time", async () => {
    const at = await TestService.start(s.store);
    const shared = await at.longOwned(ann);
    const now = at.clock.now().getTime();
    await at.load(shared, ann, await walk(shared.serial_number, iso(now - 60_000), 600));
    await at.release(shared, ann);
    at.clock.advance(1_000);
    await at.take(shared, bob);
    const taken = at.clock.now().getTime();
    at.clock.advance(60_000);
    await at.load(shared, bob, await walk(shared.serial_number, iso(taken + 1_000), 100));
    const today = { start: now - 3_600_000, stop: taken + 3_600_000 };
    const [mine, his] = await Promise.all([page(today, ann, shared.id, at), page(today, bob, shared.id, at)]);
    expect([mine.body.count, his.body.count]).toEqual([600, 100]);
    expect(his.body.results[0]["gnss.timestamp"]).toBe(taken + 1_000);
    const before = await page({ start: now - 3_600_000, stop: now - 1_000 }, bob, shared.id, at);
    expect([before.status, before.body.detail]).toEqual([
      403,
      "You did not own the device between start and stop.",
    ]);
    const after = await page({ start: taken + 1_000, stop: taken + 2_000 }, ann, shared.id, at);
    expect(after.status).toBe(403);
  });

  it("a page of samples has an entity tag, and shared caches must not store it", async () => {
    const bounds = { start: START_MS, stop: START_MS + 5_000 };
    const { headers } = await page(bounds);
    expect(headers.get("cache-control")).toBe("private, max-age=0");
    expect(headers.get("vary")).toContain("Authorization");
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    const path = `/api/v1/devices/${device.id}/preprocessed-data/?start=${bounds.start}&stop=${bounds.stop}`;
    const same = await s.get(path, ann.token, { "If-None-Match": `"other", W/${etag}` });
    expect([same.status, same.body, same.headers.get("etag")]).toEqual([304, "", etag]);
    // A 304 response does not repeat the content type.
    expect(same.headers.get("content-type")).toBeNull();
    const refused = await s.get(path, bob.token, { "If-None-Match": etag });
    expect(refused.status).toBe(403);
    expect((await page({ ...bounds, stop: bounds.stop + 100 })).headers.get("etag")).not.toBe(etag);
  });

  it("a page of samples refuses bounds in seconds with the corresponding times in milliseconds", async () => {
    const [start, stop] = [START_MS / 1000, START_MS / 1000 + 60];
    for (const end of ["preprocessed-data", "preprocessed-data-ranges"]) {
      const path = `/api/v1/devices/${device.id}/${end}/`;
      const { status, body } = await s.get(`${path}?start=${start}&stop=${stop}`, ann.token);
      expect([status, body.detail]).toEqual([
        403,
        `You did not own the device between start and stop. Numbers are milliseconds since 1970, so these are ${new Date(start).toISOString()} and ${new Date(stop).toISOString()}. If they are seconds, multiply them by 1000.`,
      ]);
      // The device had no owner at this time, and the unit is not the reason.
      const early = await s.get(`${path}?start=2023-01-01T00:00:00Z&stop=2023-01-01T01:00:00Z`, ann.token);
      expect(early.body.detail).toBe("You did not own the device between start and stop.");
    }
  });

  it("a page of samples is compressed for clients that accept compression, with its own entity tag", async () => {
    const path = `/api/v1/devices/${device.id}/preprocessed-data/?start=${START_MS}&stop=${START_MS + 59_900}`;
    const get = (encoding: string, headers = {}) =>
      new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }>(
        (resolve, reject) => {
          const options = {
            headers: { Authorization: `Bearer ${ann.token}`, "Accept-Encoding": encoding, ...headers },
          };
          const asked = request(`${s.service.url}${path}`, options, async (response) => {
            const bytes = await buffer(response);
            resolve({ status: response.statusCode, headers: response.headers, bytes });
          });
          asked.on("error", reject).end();
        },
      );
    const plain = await get("identity");
    const packed = await get("gzip, deflate, br");
    expect([plain, packed].map(({ headers }) => [headers["content-encoding"], headers.vary])).toEqual([
      [undefined, "Authorization, Cookie, Accept-Encoding"],
      ["gzip", "Authorization, Cookie, Accept-Encoding"],
    ]);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5);
    expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    const same = await get("gzip", { "If-None-Match": packed.headers.etag });
    expect([same.status, same.bytes.length]).toEqual([304, 0]);
    expect((await get("gzip;q=0, *")).headers["content-encoding"]).toBeUndefined();
  });

  it("a page of samples is compressed in one step, because each step waits for the event loop", async () => {
    const long = await s.longOwned(ann);
    await s.load(long, ann, await walk(long.serial_number, START, 3_000));
    const path = `/api/v1/devices/${long.id}/preprocessed-data/?start=${START_MS}&stop=${START_MS + 299_900}`;
    const compressing = new Set<number>();
    let steps = 0;
    const hook = createHook({
      init: (id, type) => void (type === "ZLIB" && compressing.add(id)),
      before: (id) => void (compressing.has(id) && steps++),
    }).enable();
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${ann.token}`, "Accept-Encoding": "gzip" };
      const received = async (response: IncomingMessage) => resolve(await buffer(response));
      request(`${s.service.url}${path}`, { headers }, received).on("error", reject).end();
    });
    hook.disable();
    // The page is larger than two steps of the default size.
    expect(bytes.length).toBeGreaterThan(2 * 16 * 1024);
    expect(JSON.parse(`${gunzipSync(bytes)}`).count).toBe(3_000);
    // One step is for the bytes, the other for the end of the stream.
    expect(steps).toBe(2);
  });

  it("a page of samples can be 120 seconds old, but every request checks the permissions", async () => {
    const at = await TestService.start(s.store);
    const fresh = await s.longOwned(ann);
    const bounds = { start: START_MS, stop: START_MS + 60_000 };
    expect((await page(bounds, ann, fresh.id, at)).body.count).toBe(0);
    await s.load(fresh, ann, await walk(fresh.serial_number, START, 10));
    expect((await page(bounds, ann, fresh.id, at)).body.count).toBe(0);
    at.clock.advance(PAGE_LIFETIME_MS);
    const { body, headers } = await page(bounds, ann, fresh.id, at);
    expect(body.count).toBe(10);
    expect((await page(bounds, bob, fresh.id, at)).status).toBe(403);
    const other = await TestService.start(s.store, { rawDataCacheBytes: 0 });
    const direct = await other.get(
      `/api/v1/devices/${fresh.id}/raw-data/?start=${bounds.start}&stop=${bounds.stop}`,
      ann.token,
    );
    expect([direct.body, direct.headers.get("etag")]).toEqual([body, headers.get("etag")]);
  });

  it("pages of samples are limited per user", async () => {
    const strict = await TestService.start(s.store, { throttleRawDataPerMinute: 2 });
    const carl = await s.manager();
    const path = `/api/v1/devices/${device.id}/raw-data/`;
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await strict.get(path, carl.token)).status);
    const { status, headers } = await strict.get(path, carl.token);
    await strict.stop();
    expect([...statuses, status]).toEqual([403, 403, 429, 429]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("the list of ranges groups samples that are at most 5 minutes apart, within the bounds", async () => {
    const { status, body } = await ranges({ start: "2024-02-25T00:00:00Z", stop: "2024-03-05T00:00:00Z" });
    const second = START_MS + 59_900 + 300_001;
    expect([status, body]).toEqual([
      200,
      {
        count: 2,
        page: 1,
        next: null,
        previous: null,
        results: [
          { start: START, stop: iso(START_MS + 59_900), size: 600 },
          { start: iso(second), stop: iso(second + 4_900), size: 50 },
        ],
      },
    ]);
    const cut = await ranges({ start: START_MS + 50, stop: second });
    expect(cut.body.results).toEqual([
      { start: iso(START_MS + 100), stop: iso(START_MS + 59_900), size: 599 },
      { start: iso(second), stop: iso(second), size: 1 },
    ]);
    const paged = await ranges({ start: START_MS, stop: START_MS + 3_600_000, limit: 1, page: 2 });
    expect(paged.body).toMatchObject({ count: 2, next: null, previous: 1, results: [{ size: 50 }] });
    expect((await ranges({ start: START_MS, stop: START_MS + 3_600_000, limit: 1, page: 3 })).status).toBe(
      404,
    );
  });

  it("the list of ranges allows 14 days, has an alias, and has the permissions and deprecated bounds of the samples", async () => {
    const days = 14 * 86_400_000;
    expect((await ranges({ start: START_MS, stop: START_MS + days })).status).toBe(200);
    const longer = await ranges({ start: START_MS, stop: START_MS + days + 1 });
    expect([longer.status, longer.headers.get("x-error-code")]).toEqual([400, "range_too_long"]);
    expect((await ranges({ start: START_MS, stop: START_MS }, bob)).status).toBe(403);
    expect((await ranges({ start: 0, stop: 1 })).status).toBe(403);
    expect((await ranges({ start_iso: START, stop_iso: START })).headers.get("deprecation")).toBe(
      "@1704067200",
    );
    const alias = `/api/v1/devices/${device.id}/raw-data-ranges/?start=${START_MS}&stop=${START_MS}`;
    expect((await s.get(alias, ann.token)).body.count).toBe(1);
    expect((await s.get("/api/v1/devices/999999/raw-data-ranges/", ann.token)).status).toBe(404);
  });

  it("the latest samples are listed from the newest to the oldest", async () => {
    const path = `/api/v1/devices/${device.id}/latest-preprocessed-data/`;
    const newest = timesFrom(iso(START_MS + 59_900 + 300_001), 50).reverse();
    expect((await s.get(path, ann.token)).body).toEqual(newest.slice(0, 10).map(sampleAt));
    expect((await s.get(`${path}?size=300`, ann.token)).body).toHaveLength(300);
    const alias = await s.get(`/api/v1/devices/${device.id}/latest-raw-data/?size=1`, ann.token);
    expect(alias.body).toEqual([sampleAt(newest[0] ?? 0)]);
    for (const size of ["0", "301", "-1", "x", "1.5"]) {
      const { status, body } = await s.get(`${path}?size=${size}`, ann.token);
      expect([size, status, Object.keys(body)]).toEqual([size, 400, ["size"]]);
    }
    expect((await s.get(path, bob.token)).status).toBe(403);
    expect((await s.get("/api/v1/devices/999999/latest-raw-data/", ann.token)).status).toBe(404);
  });

  it("the latest samples and the latest timestamp are only those from the current ownership of the caller", async () => {
    const passed = await s.longOwned(ann);
    await s.load(passed, ann, await walk(passed.serial_number, START, 10));
    await s.release(passed, ann);
    await s.take(passed, bob);
    const latest = `/api/v1/devices/${passed.id}/latest-preprocessed-data/`;
    const timestamp = `/api/v1/devices/${passed.id}/latest-timestamp/`;
    expect((await s.get(latest, bob.token)).body).toEqual([]);
    expect((await s.get(timestamp, bob.token)).status).toBe(404);
    expect((await s.get(latest, ann.token)).status).toBe(403);
    expect((await s.get(timestamp, ann.token)).status).toBe(403);
  });

  it("the latest timestamp is the time of the newest sample", async () => {
    const path = `/api/v1/devices/${device.id}/latest-timestamp/`;
    const newest = START_MS + 59_900 + 300_001 + 4_900;
    expect((await s.get(path, ann.token)).body).toEqual({
      timestamp: newest,
      datetime: iso(newest).replace("Z", "+00:00"),
    });
    expect((await s.get(path, bob.token)).status).toBe(403);
    expect((await s.get("/api/v1/devices/999999/latest-timestamp/", ann.token)).status).toBe(404);
  });
});

describe("retention of raw data", () => {
  it("starts at the time of storage, not at the time of recording", async () => {
    const now = await TestService.start(await newStore());
    const eve = await now.manager();
    const old = await now.ownedDevice(eve);
    await now.backdate(old, "2010-01-01T00:00:00Z");
    await now.load(old, eve, await walk(old.serial_number, "2010-06-01T00:00:00Z", 10));
    // Log in again, because retention 731 days later also removes the current tokens.
    const count = async () => {
      const token = await now.logIn(eve.username, eve.password);
      return (await now.get(`/api/v1/devices/${old.id}/latest-raw-data/`, token)).body.length;
    };
    await applyRetention(now.ctx);
    expect(await count()).toBe(10);
    const later = await TestService.start(now.store);
    later.clock.advance(731 * 86_400_000);
    const removed: [string, number][] = [];
    await applyRetention(later.ctx, { onRemoved: (...one) => removed.push(one) });
    expect(await count()).toBe(0);
    // The audit log shows when and why the samples were removed.
    expect(removed).toContainEqual(["samples", 10]);
    const startMs = Date.parse("2010-06-01T00:00:00Z");
    const audited = await now.store.database.queries
      .select()
      .from(auditLog)
      .where(eq(auditLog.entity, "samples"));
    expect(audited).toMatchObject([
      {
        operation: "sample retention",
        accountId: null,
        entityId: old.id,
        before: { startMs, stopMs: startMs + 900, chunks: 1, count: 10 },
        after: null,
      },
    ]);
  });
});

describe.runIf(process.env.TEST_DATABASE === "embedded")("the embedded database without autovacuum", () => {
  /** Returns the fraction of a table's pages whose rows are all visible, which index-only scans can skip. */
  const tidyShare = async (table: string) => {
    const { rows } = await s.store.database.pool.query(
      "SELECT relallvisible::float / nullif(relpages, 0) AS share FROM pg_class WHERE relname = $1",
      [table],
    );
    return rows[0].share;
  };

  it("vacuums the samples after a load", async () => {
    const eve = await s.manager();
    const loaded = await s.longOwned(eve);
    await s.load(loaded, eve, await walk(loaded.serial_number, START, 10));
    expect(await tidyShare("sample_chunks")).toBe(1);
  });

  it("vacuums all other tables in the hourly retention", async () => {
    await s.manager();
    await s.store.database.pool.query("UPDATE accounts SET username = username");
    await applyRetention(s.ctx);
    expect(await tidyShare("accounts")).toBe(1);
    expect(await tidyShare("jobs")).toBe(1);
  });
});
