/** Tests the ranges and the newest samples of raw data, and its retention. */
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { auditLog } from "../src/store/schema.js";
import { newStore } from "./databases.js";
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

const ranges = (query: Record<string, string | number>, by = ann) =>
  s.get(
    `/api/v1/devices/${device.id}/preprocessed-data-ranges/?${new URLSearchParams(query as Record<string, string>)}`,
    by.token,
  );

describe("raw data", () => {
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
