/** Tests that rows with many bytes, and rows with many others that refer to them, are removed in short statements. */
import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { currentOwner } from "../src/domain/ownerships/rules.js";
import { beginStream } from "../src/domain/recording-streams/begin.js";
import { applyRetention } from "../src/jobs/retention.js";
import { commands } from "../src/operator/commands.js";
import { auditLog, idempotencyKeys, recordingStreams, streamPieces } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";

const MIB = 2 ** 20;

let s: TestService;
let ann: TestAccount;

beforeEach(async () => {
  s = await TestService.start(await newStore());
  ann = await s.manager();
});

/** Records how many rows of a table each statement deletes. @returns the maximum and the total */
async function watchDeletes(table: string): Promise<() => Promise<{ most: number; all: number }>> {
  const { queries } = s.store.database;
  await queries.execute(sql`CREATE TABLE removed (rows int)`);
  await queries.execute(sql`
    CREATE FUNCTION note_removed() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO removed SELECT count(*) FROM gone; RETURN NULL; END'`);
  await queries.execute(
    sql.raw(`CREATE TRIGGER note_removed AFTER DELETE ON ${table}
      REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_removed()`),
  );
  return async () => {
    const { rows } = await queries.execute<{ most: number; all: number }>(
      sql`SELECT max(rows)::int AS most, sum(rows)::int AS all FROM removed`,
    );
    return { most: rows[0]?.most ?? 0, all: rows[0]?.all ?? 0 };
  };
}

/** Adds an unfinished stream with 2,500 pieces, to which bytes were added at the given time. */
async function longStream(updatedAt: Date): Promise<TestDevice> {
  const device = await s.ownedDevice(ann);
  const { queries } = s.store.database;
  const deviceId = device.id;
  await queries.insert(recordingStreams).values({
    ...{ deviceId, managerId: ann.id, recording: "one", connection: randomUUID(), bytes: 25_000, updatedAt },
  });
  await queries.execute(sql`
    INSERT INTO stream_pieces (device_id, first_byte, bytes)
    SELECT ${deviceId}, n * 10, convert_to(repeat('x', 10), 'UTF8') FROM generate_series(0, 2499) AS n`);
  return device;
}

const streamOf = async ({ id }: TestDevice) => {
  const { queries } = s.store.database;
  const [stream] = await queries.select().from(recordingStreams).where(eq(recordingStreams.deviceId, id));
  return stream;
};

/** Adds 20 responses of 1 MiB, which expired long ago. */
async function largeResponses(): Promise<void> {
  const { queries } = s.store.database;
  await queries.execute(sql`ALTER TABLE idempotency_keys ALTER COLUMN body SET STORAGE EXTERNAL`);
  await queries.execute(sql`
    INSERT INTO idempotency_keys (account_id, path, key, fingerprint, body, created_at)
    SELECT ${ann.id}, '/', n::text, '', convert_to(repeat('x', ${MIB}), 'UTF8'), ${new Date(0)} FROM generate_series(1, 20) AS n`);
}

it("an expired stream is removed in parts, and another one is kept", async () => {
  const [expired, recent] = [await longStream(new Date(0)), await longStream(s.clock.now())];
  const removed = await watchDeletes("stream_pieces");
  await applyRetention(s.ctx);
  expect(await removed()).toEqual({ most: 1_000, all: 2_500 });
  expect([await streamOf(expired), (await streamOf(recent))?.bytes]).toEqual([undefined, 25_000]);
});

it.each([
  { by: "another recording", recording: "two" },
  { by: "a recording of the same name of another owner", recording: "one", former: true },
])(
  "a stream that $by replaces is removed in parts, unless it cannot begin",
  async ({ recording, former }) => {
    const device = await longStream(s.clock.now());
    const { queries } = s.ctx;
    if (former) await queries.update(recordingStreams).set({ managerId: (await s.manager()).id });
    const removed = await watchDeletes("stream_pieces");
    const { id, username } = ann;
    const caller = { id, username, role: "MANAGER" as const, canCreateManagedAthletes: false, scopes: null };
    const ctx = { ...s.ctx, caller };
    const owned = await currentOwner.find(ctx, { device: device.id }, { queries, lock: false });
    await expect(beginStream(ctx, owned, { recording, offset: 5 })).rejects.toThrow();
    expect(await queries.$count(streamPieces)).toBe(2_500);
    expect(await beginStream(ctx, owned, { recording, offset: 0 })).toMatchObject({
      bytes: 0,
      managerId: id,
    });
    expect(await removed()).toEqual({ most: 1_000, all: 2_500 });
  },
);

it.each([
  ["the deletion of its manager", () => commands["account delete"](s.ctx, { username: ann.username })],
  [
    "the release of its device",
    async (device: TestDevice) => expect((await s.release(device, ann)).status).toBe(204),
  ],
  [
    "the deletion of samples",
    ({ id: deviceId }: TestDevice) =>
      transact(s.ctx, "test", (unit) =>
        unit.announce("samplesDeleted", { deviceId, deleted: [], removed: [], count: 0 }),
      ),
  ],
])("a stream that ends with %s is removed in parts, and another one is kept", async (_, end) => {
  const device = await longStream(s.clock.now());
  const other = await s.ownedDevice(await s.manager());
  const { queries } = s.ctx;
  await queries.execute(sql`
    INSERT INTO recording_streams (device_id, manager_id, recording, connection, bytes, updated_at)
    SELECT ${other.id}, manager_id, recording, connection, bytes, updated_at FROM recording_streams`);
  await queries
    .update(recordingStreams)
    .set({ managerId: (await s.manager()).id })
    .where(eq(recordingStreams.deviceId, other.id));
  const removed = await watchDeletes("stream_pieces");
  await end(device);
  expect(await removed()).toEqual({ most: 1_000, all: 2_500 });
  expect([await streamOf(device), (await streamOf(other))?.bytes]).toEqual([undefined, 25_000]);
});

it("expired responses to idempotency keys are removed 8 MiB at a time", async () => {
  await largeResponses();
  const removed = await watchDeletes("idempotency_keys");
  await applyRetention(s.ctx);
  expect(await removed()).toEqual({ most: 8, all: 20 });
});

it("the responses of a deleted account are removed 8 MiB at a time", async () => {
  await largeResponses();
  const removed = await watchDeletes("idempotency_keys");
  await commands["account delete"](s.ctx, { username: ann.username });
  expect(await removed()).toEqual({ most: 8, all: 20 });
});

it("a table from which nothing can be removed does not prevent the removal from others, and is reported", async () => {
  await largeResponses();
  const { queries } = s.store.database;
  await queries.execute(sql`
    INSERT INTO audit_log (at, request_id, operation, entity, entity_id) VALUES (${new Date(0)}, 'r', 'o', 'account', 1)`);
  await queries.execute(sql`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''damaged''; END'`);
  await queries.execute(sql`
    CREATE TRIGGER refuse BEFORE DELETE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION refuse()`);
  await expect(applyRetention(s.ctx)).rejects.toMatchObject({ cause: { message: "damaged" } });
  expect(await queries.$count(idempotencyKeys)).toBe(20);
  expect(await queries.$count(auditLog, eq(auditLog.at, new Date(0)))).toBe(0);
});
