/** Tests the effects of operator commands on devices and their samples, as seen by users. */
import { and, eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { allocateColumns, FIX_3D, sqlClientOf, storeSamples } from "../src/store/samples/index.js";
import { auditLog, removedSamples } from "../src/store/schema.js";
import { OPERATOR, withOperator } from "./operator-scene.js";
import type { TestService } from "./service.js";
import { Team } from "./team.js";

const it = withOperator();

describe("device list, rename and retire", () => {
  it("list every device with its owner, or only the devices of one owner", async ({
    operator: { s, list, refusal },
  }) => {
    const ann = await s.manager();
    const [owned, free] = [await s.ownedDevice(ann), await s.device()];
    const [row] = await list("device list", { owner: ann.username });
    expect(row).toMatchObject({
      id: owned.id,
      serial_number: owned.serial_number,
      owner: ann.username,
      owned_since: expect.stringMatching(/Z$/),
      retired: null,
    });
    expect(await list("device list", { search: free.serial_number })).toMatchObject([{ owner: null }]);
    expect(await refusal("device list", { owner: "nobody" })).toBe("not_found");
  });

  it("rename a device as its owner could, and change the name that a manager enters to take it", async ({
    operator: { s, run, lastAudit, refusal },
  }) => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const { serial_number: serialNumber } = device;
    const etag = (await s.get(`/api/v1/devices/${device.id}/`, ann.token)).headers.get("etag");
    await run("device rename", { serialNumber, deviceName: "tracker 8", customName: "Left wing" });
    const { body, headers } = await s.get(`/api/v1/devices/${device.id}/`, ann.token);
    expect(body).toMatchObject({ device_name: "tracker 8", custom_name: "Left wing" });
    expect(headers.get("etag")).not.toBe(etag);
    expect(await lastAudit()).toMatchObject({
      operation: "device rename",
      operator: OPERATOR,
      entity: "device",
    });
    expect(await run("device rename", { serialNumber, customName: "" })).toMatchObject({ custom_name: null });
    await s.release(device, ann);
    expect((await s.take(device, ann)).status).toBe(404);
    expect((await s.take({ ...device, device_name: "tracker 8" }, ann)).status).toBe(201);
    for (const wrong of [{}, { deviceName: "" }, { deviceName: "a\nb" }, { customName: " x" }]) {
      expect(await refusal("device rename", { serialNumber, ...wrong })).toBe("invalid");
    }
  });

  it("retire a device: it has no owner and cannot be taken, and its former owner keeps the samples", async ({
    operator: { s, run, lastAudit, list },
  }) => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const { serial_number: serialNumber } = device;
    const startMs = Date.now() - 60_000;
    await s.backdate(device, new Date(startMs - 1000).toISOString());
    await storeAt(s, device.id, [startMs, startMs + 100]);
    await run("device retire", { serialNumber });
    expect(await lastAudit()).toMatchObject({ operation: "device retire", operator: OPERATOR });
    expect((await s.get(`/api/v1/devices/${device.id}/`, ann.token)).status).toBe(403);
    const raw = `/api/v1/devices/${device.id}/preprocessed-data/?start=${startMs}&stop=${startMs + 1000}`;
    expect((await s.get(raw, ann.token)).body.count).toBe(2);
    const taken = await s.take(device, ann);
    expect([taken.status, taken.headers.get("x-error-code")]).toEqual([400, "device_retired"]);
    expect((await list("device list", { retired: true })).map(({ id }) => id)).toContain(device.id);
    expect(await run("device retire", { serialNumber, undo: true })).toMatchObject({ retired: null });
    expect((await s.take(device, ann)).status).toBe(201);
  });
});

/** Stores samples at a steady speed. */
async function storeAt(s: TestService, deviceId: number, times: readonly number[]): Promise<void> {
  const columns = allocateColumns(times.length);
  times.forEach((ms, i) => {
    columns.timestampMs[i] = ms;
    columns.speedMmPerS[i] = 5_000;
    columns.fixType[i] = FIX_3D;
  });
  await transact(s.ctx, "test", async (unit) => {
    const { changed } = await storeSamples(sqlClientOf(unit.queries), deviceId, [columns]);
    await unit.announce("samplesStored", { deviceId, changed });
  });
}

describe("samples delete", () => {
  const iso = (ms: number) => new Date(ms).toISOString();

  it("deletes an interval and recomputes the data that used it, even if other samples have expired", async ({
    operator: { s, run },
  }) => {
    const team = await Team.of(s);
    const { device, manager } = team;
    const frame = await team.frame(0, 600);
    await team.run(0, 600, 5_000);
    const { body: before } = await team.computed(frame);
    const { body: stored } = await s.get(`/api/v1/timeframes/${frame}/`, manager.token);
    const startMs = Date.parse(stored.start_time);
    // Retention has removed other samples, and the results are kept; a deletion must not keep them.
    await s.store.database.queries
      .insert(removedSamples)
      .values({ deviceId: device.id, startMs, stopMs: startMs + 10 });

    const args = {
      serialNumber: device.serial_number,
      start: iso(startMs + 60_000),
      stop: iso(startMs + 360_000),
    };
    expect(await run("samples delete", args)).toEqual({
      serial_number: device.serial_number,
      samples_deleted: 3000,
      recordings_waiting: 0,
    });
    const audit = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "samples"), eq(auditLog.entityId, device.id)));
    expect(audit).toMatchObject([
      {
        operation: "samples delete",
        operator: OPERATOR,
        before: { startMs: startMs + 60_000, stopMs: startMs + 359_999, count: 3000 },
      },
    ]);
    const raw = `/api/v1/devices/${device.id}/preprocessed-data/?start=${startMs}&stop=${startMs + 600_000}&limit=25000`;
    const times = (await s.get(raw, manager.token)).body.results.map(
      (row: Record<string, number>) => ((row["gnss.timestamp"] ?? 0) - startMs) / 100,
    );
    expect(times).toEqual(Array.from({ length: 6000 }, (_, i) => i).filter((i) => i < 600 || i >= 3600));
    const { body: after } = await team.computed(frame);
    const metres = (body: Record<string, number>) => body.total_distance ?? body.distance ?? Number.NaN;
    expect(metres(before)).toBeGreaterThan(2_900);
    expect(metres(after)).toBeLessThan(metres(before) * 0.6);
    expect(await run("samples delete", args)).toMatchObject({ samples_deleted: 0 });
  });

  it("deletes any number of chunks in transactions of limited size, and counts waiting recordings", async ({
    operator: { s, run },
  }) => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const firstMs = Date.parse("2024-01-01T00:00:00Z");
    await storeAt(
      s,
      device.id,
      Array.from({ length: 2_100 }, (_, i) => firstMs + i * 300_000),
    );
    await transact(s.ctx, "test", (unit) =>
      unit.enqueue({ kind: "bulk-load", payload: { device: device.id, manager: ann.id } }),
    );
    const args = {
      serialNumber: device.serial_number,
      start: "2000-01-01T00:00:00Z",
      stop: "2100-01-01T00:00:00Z",
    };
    expect(await run("samples delete", args)).toMatchObject({
      samples_deleted: 2_100,
      recordings_waiting: 1,
    });
    const rows = await s.store.database.queries.$count(
      auditLog,
      and(eq(auditLog.entity, "samples"), eq(auditLog.entityId, device.id)),
    );
    expect(rows).toBe(3);
    await s.runJobs();
  });

  it("refuses an unknown device, a missing time, and a stop before the start", async ({
    operator: { s, refusal },
  }) => {
    const { serial_number: serialNumber } = await s.device();
    const [start, stop] = ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"];
    expect(await refusal("samples delete", { serialNumber: "NONE", start, stop })).toBe("not_found");
    expect(await refusal("samples delete", { serialNumber, start: "yesterday", stop })).toBe("invalid");
    expect(await refusal("samples delete", { serialNumber, start: stop, stop: start })).toBe("invalid");
  });
});
