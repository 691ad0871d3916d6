/** Tests pages of raw data. */
import { createHook } from "node:async_hooks";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGE_LIFETIME_MS } from "../src/domain/raw-data/page-cache.js";
import { commands } from "../src/operator/commands.js";
import { iso, START, START_MS, startRawData } from "./raw-data-scene.js";
import { sampleAt, timesFrom, walk } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;
let bob: TestAccount;
let device: TestDevice;

beforeAll(async () => {
  ({ s, ann, bob, device } = await startRawData());
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
      // At this time ann did not own the device, and the unit is correct.
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

  it("a page of samples is kept for 120 seconds, but every request checks the permissions", async () => {
    const at = await TestService.start(s.store);
    const fresh = await s.longOwned(ann);
    const bounds = { start: START_MS, stop: START_MS + 60_000 };
    await s.load(fresh, ann, await walk(fresh.serial_number, START, 10));
    expect((await page(bounds, ann, fresh.id, at)).body.count).toBe(10);
    // Nothing announces this removal.
    await s.store.database.queries.execute(sql`DELETE FROM sample_chunks WHERE device_id = ${fresh.id}`);
    expect((await page(bounds, ann, fresh.id, at)).body.count).toBe(10);
    expect((await page(bounds, bob, fresh.id, at)).status).toBe(403);
    at.clock.advance(PAGE_LIFETIME_MS);
    const { body, headers } = await page(bounds, ann, fresh.id, at);
    expect(body.count).toBe(0);
    const other = await TestService.start(s.store, { rawDataCacheBytes: 0 });
    const direct = await other.get(
      `/api/v1/devices/${fresh.id}/raw-data/?start=${bounds.start}&stop=${bounds.stop}`,
      ann.token,
    );
    expect([direct.body, direct.headers.get("etag")]).toEqual([body, headers.get("etag")]);
  });

  it("a page of samples contains samples that another process has just stored, and none that it has removed", async () => {
    const other = await TestService.start(s.store);
    const fresh = await s.longOwned(ann);
    const bounds = { start: START_MS, stop: START_MS + 60_000 };
    const path = `/api/v1/devices/${fresh.id}/raw-data/?start=${bounds.start}&stop=${bounds.stop}`;
    const empty = await page(bounds, ann, fresh.id, other);
    expect(empty.body.count).toBe(0);
    await s.load(fresh, ann, await walk(fresh.serial_number, START, 10));
    // A browser asks whether its page is still current.
    const known = { "If-None-Match": empty.headers.get("etag") ?? "" };
    const loaded = await other.get(path, ann.token, known);
    expect([loaded.status, loaded.body.count]).toEqual([200, 10]);
    await s.load(fresh, ann, await walk(fresh.serial_number, iso(START_MS + 5_000), 10));
    expect((await page(bounds, ann, fresh.id, other)).body.count).toBe(20);
    const first = { start: START, stop: iso(START_MS + 500) };
    await commands["samples delete"](s.ctx, { serialNumber: fresh.serial_number, ...first, yes: true });
    expect((await page(bounds, ann, fresh.id, other)).body.count).toBe(15);
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
});
