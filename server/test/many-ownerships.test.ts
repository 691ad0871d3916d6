/** Tests limits for a device that is taken and released repeatedly, and the effects on other users. */
import { and, eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { eraseOwnerships } from "../src/domain/ownerships/erase.js";
import { commands } from "../src/operator/commands.js";
import { countSamplesOf, sqlClientOf } from "../src/store/samples/index.js";
import { auditLog, ownerships } from "../src/store/schema.js";
import { recordingOf, rowAt } from "./recordings.js";
import { service, startService } from "./service.js";

it("a device can be taken as often as the quota allows; empty ownerships do not count", async () => {
  const s = await startService({ quotaOwnerships: 2 });
  const ann = await s.manager();
  const device = await s.device();
  s.clock.stopAt(Date.now());
  for (let times = 0; times < 3; times++) {
    expect((await s.take(device, ann)).status).toBe(201);
    expect((await s.release(device, ann)).status).toBe(204);
  }
  const owned = () => s.store.database.queries.$count(ownerships, eq(ownerships.managerId, ann.id));
  expect(await owned()).toBe(0);
  for (let times = 0; times < 2; times++) {
    await s.take(device, ann);
    s.clock.advance(1_000);
    await s.release(device, ann);
  }
  const { status, body } = await s.take(device, ann);
  expect([status, body.message]).toEqual([400, expect.stringContaining("at most 2 ownerships")]);
  expect(await owned()).toBe(2);
  // The device has no owner, so another manager can take it.
  expect((await s.take(device, await s.manager())).status).toBe(201);
});

it("devices can be taken and released by one user a limited number of times per minute", async () => {
  const s = await startService({ throttleOwnershipsPerMinute: 3 });
  const ann = await s.manager();
  const device = await s.device();
  expect((await s.take(device, ann)).status).toBe(201);
  expect((await s.release(device, ann)).status).toBe(204);
  expect((await s.take(device, ann)).status).toBe(201);
  expect((await s.release(device, ann)).status).toBe(429);
});

/** Creates a device with many ownerships of ann, each of a second, and one of bob in between, with samples of both. */
async function owners(count: number) {
  const s = await service();
  const [ann, bob] = [await s.manager(), await s.manager()];
  const device = await s.device();
  const start = Date.parse("2024-01-01T00:00:00Z");
  const { queries } = s.store.database;
  await queries.execute(sql`
    INSERT INTO ownerships (device_id, manager_id, start_time, end_time)
    SELECT ${device.id}, CASE WHEN n = 150 THEN ${bob.id}::bigint ELSE ${ann.id}::bigint END,
      ${new Date(start)}::timestamptz + n * interval '2 s', ${new Date(start)}::timestamptz + n * interval '2 s' + interval '1 s'
    FROM generate_series(0, ${count - 1}) AS n`);
  await queries.execute(sql`
    INSERT INTO audit_log (at, account_id, operation, entity, entity_id, before, request_id)
    SELECT start_time + interval '0.5 s', manager_id, 'setCustomName', 'device', device_id, '{"customName": "mine"}', 'r'
    FROM ownerships WHERE device_id = ${device.id}`);
  for (const by of [ann, bob]) {
    await s.take(device, by);
    const times = Array.from({ length: count * 4 }, (_, i) => rowAt(start + i * 500));
    const { body } = await s.load(device, by, await recordingOf(device.serial_number, times));
    expect(body.details).toMatchObject({ samples_stored: (by === ann ? count - 1 : 1) * 2 });
    s.clock.advance(1_000);
    await s.release(device, by);
  }
  return { s, ann, bob, device, queries };
}

it("the devices of a deleted account are released in transactions of at most a hundred ownerships; other ownerships are kept", async () => {
  const { s, ann, bob, device, queries } = await owners(320);
  expect(await countSamplesOf(sqlClientOf(queries), ann.id)).toBeGreaterThan(0);
  const left = () =>
    queries.$count(ownerships, and(eq(ownerships.deviceId, device.id), eq(ownerships.managerId, ann.id)));
  const steps = [await left()];
  // The test removes the first ones and the command removes the rest, as after an interruption.
  for (let times = 0; times < 3; times++) {
    await transact(s.ctx, "account delete", (unit) => eraseOwnerships(unit, device.id, ann.id));
    steps.push(await left());
  }
  expect(steps).toEqual([320, 220, 170, 70]);
  await commands["account delete"](s.ctx, { username: ann.username, yes: true });
  expect(await left()).toBe(0);
  const { rows } = await queries.execute<{ n: number }>(
    sql`SELECT coalesce(sum(n), 0)::int AS n FROM sample_chunks WHERE device_id = ${device.id}`,
  );
  expect(rows[0]?.n).toBe(2);
  const values = await queries
    .select({ before: auditLog.before })
    .from(auditLog)
    .where(and(eq(auditLog.operation, "setCustomName"), eq(auditLog.entityId, device.id)));
  expect(values.filter(({ before }) => before !== null)).toHaveLength(1);
  expect(await countSamplesOf(sqlClientOf(queries), bob.id)).toBe(50);
});

it("the details of a job contain at most a thousand times, all of which its owner can read", async () => {
  const s = await service();
  const ann = await s.manager();
  const device = await s.ownedDevice(ann);
  const start = Date.parse("2023-01-01T00:00:00Z");
  await s.store.database.queries.execute(sql`
    INSERT INTO ownerships (device_id, manager_id, start_time, end_time)
    SELECT ${device.id}, ${ann.id}, ${new Date(start)}::timestamptz + n * interval '2 s', ${new Date(start)}::timestamptz + n * interval '2 s' + interval '1 s'
    FROM generate_series(0, 1204) AS n`);
  const rows = [rowAt(start), rowAt(start + 1204 * 2_000)];
  const { body } = await s.load(device, ann, await recordingOf(device.serial_number, rows));
  expect(body.details).toMatchObject({ samples_stored: 2, readable_left_out: 205 });
  expect(body.details.readable).toHaveLength(1_000);
  expect(body.details.readable[1]).toEqual({
    start: "2023-01-01T00:00:02.000Z",
    stop: "2023-01-01T00:00:02.999Z",
  });
  // Pages of samples use the same times.
  const page = await s.get(
    `/api/v1/devices/${device.id}/raw-data/?start=${start}&stop=${start + 86_400_000}`,
    ann.token,
  );
  expect(page.body.count).toBe(2);
});
