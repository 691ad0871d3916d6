import { gzipSync } from "node:zlib";
import { and, eq } from "drizzle-orm";
import { describe, expect, onTestFinished, vi } from "vitest";
import { auditLog, jobs } from "../src/store/schema.js";
import { base64, iso, path, START, START_MS, withBulkLoads } from "./bulk-load-scene.js";
import { addUnreadableChunks } from "./dense-chunks.js";
import { recordingOf, rowAt, timesFrom, walk } from "./recordings.js";
import { TestService } from "./service.js";

const it = withBulkLoads();

describe("bulk load", () => {
  it("refuses invalid base64, data that is not a recording, and a recording of another device, with an error for the field", async ({
    bulkLoads: { post },
  }) => {
    const foreign = await walk("OTHER-1", START, 3);
    for (const [value, code] of [
      [undefined, "invalid"],
      ["", "invalid"],
      [7, "invalid"],
      ["###", "invalid"],
      ["A", "invalid"],
      ["QUJD=", "invalid"],
      ["QUJDRA=", "invalid"],
      [base64(new TextEncoder().encode("no recording at all")), "NOT_A_RECORDING"],
      [base64(foreign), "wrong_device"],
    ] as const) {
      const { status, body, headers } = await post(value);
      expect([value, status, Object.keys(body)]).toEqual([value, 400, ["asi_b64"]]);
      expect(headers.get("x-error-code")).toBe(code);
      expect(headers.get("deprecation")).toBe("@1704067200");
    }
  });

  it("reads base64 with line breaks and without padding", async ({ bulkLoads: { s, ann, post } }) => {
    const owned = await s.longOwned(ann);
    const text = base64(await walk(owned.serial_number, START, 5));
    expect((await post(text.replace(/=+$/, ""), ann, owned.id)).status).toBe(200);
    expect((await post(text.replace(/.{76}/g, "$&\r\n"), ann, owned.id)).status).toBe(200);
  });

  it("loads a recording compressed with gzip, up to the maximum size of a recording", async ({
    bulkLoads: { s, ann, post },
  }) => {
    const owned = await s.longOwned(ann);
    const recording = await walk(owned.serial_number, START, 5);
    const packed = gzipSync(recording);
    const { status, body } = await post(base64(packed), ann, owned.id);
    expect(status).toBe(200);
    await s.runJobs();
    const job = await s.get(`/api/v1/jobs/${body.job_id}/`, ann.token);
    expect(job.body.details).toMatchObject({
      samples_stored: 5,
      report: { bytes: { total: recording.length } },
    });
    const torn = await post(base64(packed.subarray(0, packed.length - 20)), ann, owned.id);
    expect([torn.status, torn.headers.get("x-error-code")]).toEqual([400, "BAD_GZIP"]);
    const bomb = await post(base64(gzipSync(new Uint8Array(s.config.bulkLoadMaxBytes + 1))), ann, owned.id);
    expect(bomb.status).toBe(413);
  });

  it("is available only to the current owner of the device", async ({
    bulkLoads: { s, device, post, bob, ann },
  }) => {
    const text = base64(await walk(device.serial_number, START, 3));
    expect((await post(text, bob)).status).toBe(403);
    expect((await post(text, ann, 999_999)).status).toBe(404);
    expect((await post(text, await s.athlete())).status).toBe(403);
    expect((await s.post(path(device.id), { asi_b64: text })).status).toBe(403);
  });

  it("refuses a recording that is too large", async ({ bulkLoads: { s, device, ann } }) => {
    const small = await TestService.start(s.store, { bulkLoadMaxBytes: 3_000 });
    const send = (bytes: number) =>
      small.post(path(device.id), { asi_b64: base64(new Uint8Array(bytes)) }, ann.token);
    const statuses = [(await send(3_000)).status, (await send(3_001)).status, (await send(30_000)).status];
    await small.stop();
    expect(statuses).toEqual([400, 413, 413]);
  });

  it("is not found when disabled", async ({ bulkLoads: { s, device, ann } }) => {
    const off = await TestService.start(s.store, { bulkLoadEnabled: false });
    const { status, body, headers } = await off.post(path(device.id), { asi_b64: "QUJD" }, ann.token);
    await off.stop();
    expect([status, body]).toEqual([410, { detail: "This operation is disabled." }]);
    expect(headers.get("sunset")).not.toBeNull();
  });

  it("creates one job for two requests with the same idempotency key", async ({ bulkLoads: { s, ann } }) => {
    const owned = await s.longOwned(ann);
    const json = { asi_b64: base64(await walk(owned.serial_number, START, 3)) };
    const headers = { "Idempotency-Key": "one load" };
    const bad = await s.send("POST", path(owned.id), { token: ann.token, json, headers });
    expect(bad.status).toBe(400);
    headers["Idempotency-Key"] = "one-load";
    const [first, second] = await Promise.all(
      [1, 2].map(() => s.send("POST", path(owned.id), { token: ann.token, json, headers })),
    );
    expect(second?.body).toEqual(first?.body);
  });

  it("refuses samples from times with another owner, from times without an owner and from the far future, and reports times without an owner", async ({
    bulkLoads: { s, bob, ann, countOf },
  }) => {
    const passed = await s.longOwned(bob);
    await s.release(passed, bob);
    s.clock.advance(60_000);
    await s.take(passed, ann);
    const now = s.clock.now().getTime();
    const times = [
      Date.parse("2023-12-31T00:00:00Z"), // without an owner
      START_MS, // owned by bob
      now - 30_000, // without an owner
      now + 1_000, // owned by ann
      now + 4 * 60_000,
      now + 6 * 60_000, // too far in the future
    ];
    const logged = vi.spyOn(s.service.app.log, "info");
    onTestFinished(() => logged.mockRestore());
    const job = await s.load(passed, ann, await recordingOf(passed.serial_number, times.map(rowAt)));
    expect(job.body).toMatchObject({
      state: "SUCCESS",
      details: {
        samples_read: 6,
        samples_stored: 2,
        samples_refused: 4,
        samples_unowned: 2,
        start: iso(times[3] ?? 0),
        stop: iso(times[4] ?? 0),
        readable: [{ start: expect.any(String), stop: iso(times[4] ?? 0) }],
      },
    });
    expect(await countOf(passed, bob)).toBe(0);
    expect(await countOf(passed, ann, now, now + 86_400_000)).toBe(2);
    // Refused samples are reported in the audit log, the metrics and the log.
    const rows = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "samples"), eq(auditLog.entityId, passed.id)));
    expect(rows).toMatchObject([
      { operation: "bulk load", after: { managerId: ann.id, read: 6, refused: 4, unowned: 2 } },
    ]);
    expect(logged.mock.calls).toContainEqual([
      expect.objectContaining({ kind: "bulk-load", samples: { stored: 2, known: 0, refused: 4 } }),
      "job done",
    ]);
    const metrics = await s.service.app.metrics.getSingleMetricAsString("asi_samples_loaded_total");
    expect(Number(/outcome="refused"\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThanOrEqual(4);
  });

  it("fails the job with the error code of the library if an error is found after the request", async ({
    bulkLoads: { s, ann, countOf },
  }) => {
    const owned = await s.longOwned(ann);
    const none = await s.load(owned, ann, await recordingOf(owned.serial_number, []));
    expect(none.body).toMatchObject({
      state: "FAILURE",
      details: { code: "NO_SAMPLES", message: expect.any(String) },
    });
    // The recording is long, so the request, which reads only up to the first samples, does not reach the second header.
    const good = await walk(owned.serial_number, START, 6_000);
    const other = await walk("OTHER-1", iso(START_MS + 600_000), 100);
    const mixed = await s.load(owned, ann, Buffer.concat([good, other]));
    expect(mixed.body).toMatchObject({ state: "FAILURE", details: { code: "MIXED_DEVICES" } });
    expect(await countOf(owned, ann)).toBe(0);
    const [row] = await s.store.database.queries.select().from(jobs).where(eq(jobs.id, mixed.body.id));
    expect(row?.body).toBeNull();
  });

  it("fails the job and stores nothing if the samples are in more five-minute periods than one load can write", async ({
    bulkLoads: { s, ann, countOf },
  }) => {
    const few = await TestService.start(s.store, { bulkLoadMaxChunks: 20 });
    const owned = await s.longOwned(ann);
    const scattered = (count: number) =>
      recordingOf(owned.serial_number, timesFrom(START, count, 300_000).map(rowAt));
    const refused = await few.load(owned, ann, await scattered(21));
    expect(refused.body).toMatchObject({
      state: "FAILURE",
      details: { code: "too_scattered", message: expect.stringContaining("20 periods of five minutes") },
    });
    expect(await countOf(owned, ann, START_MS, START_MS + 86_400_000)).toBe(0);
    // Many samples in few periods are accepted in any order.
    const times = timesFrom(START, 20, 300_000);
    const shuttled = [0, 100, 200, 300].flatMap((shift) => times.map((ms) => rowAt(ms + shift)));
    const loaded = await few.load(owned, ann, await recordingOf(owned.serial_number, shuttled));
    expect(loaded.body).toMatchObject({ state: "SUCCESS", details: { samples_stored: 80 } });
    await few.stop();
  });

  it("fails the job and stores nothing if five minutes would have more than 30,000 samples", async ({
    bulkLoads: { s, ann, countOf },
  }) => {
    const owned = await s.longOwned(ann);
    const at = (start: string, count: number, periodMs: number) =>
      walk(owned.serial_number, start, count, { periodMs });
    const later = iso(START_MS + 300_000);
    const sparseThenDense = Buffer.concat([
      await at(START, 10, 100),
      (await at(later, 30_001, 1)).subarray(72),
    ]);
    const tooDense = (from: string) => ({
      state: "FAILURE",
      details: {
        code: "too_dense",
        message: expect.stringMatching(`from ${from} .* 30001 samples.* 30000 .*lower rate`),
      },
    });
    expect((await s.load(owned, ann, sparseThenDense)).body).toMatchObject(tooDense(later));
    expect(await countOf(owned, ann)).toBe(0);
    const full = await at(START, 30_000, 10);
    expect((await s.load(owned, ann, full)).body).toMatchObject({ details: { samples_stored: 30_000 } });
    const again = await s.load(owned, ann, Buffer.concat([full, (await at(START, 1, 10)).subarray(72)]));
    expect(again.body).toMatchObject({ details: { samples_known: 30_001 } });
    const oneMore = await at(iso(START_MS + 1), 1, 10);
    expect((await s.load(owned, ann, oneMore)).body).toMatchObject(tooDense(START));
    expect(await countOf(owned, ann)).toBe(30_000);
  });

  it("fails the job and stores nothing if few samples would rewrite too many stored ones", async ({
    bulkLoads: { s, ann },
  }) => {
    const owned = await s.longOwned(ann);
    await addUnreadableChunks(s, owned.id, START_MS, 17);
    const rows = timesFrom(iso(START_MS + 1), 17, 300_000).map(rowAt);
    const refused = await s.load(owned, ann, await recordingOf(owned.serial_number, rows));
    expect(refused.body).toMatchObject({
      state: "FAILURE",
      details: { code: "too_scattered", message: expect.stringContaining("510017 samples") },
    });
  });
});
