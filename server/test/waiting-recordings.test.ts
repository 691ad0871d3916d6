/** Tests how recordings of bulk loads are written, and the limits on bytes that wait for workers. */
import { randomBytes } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect, vi } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { writeBody } from "../src/store/queue/job-body.js";
import { jobBodies, jobs } from "../src/store/schema.js";
import { base64, path, START } from "./bulk-load-scene.js";
import { withOwnService } from "./file-service.js";
import { walk } from "./recordings.js";
import { type TestAccount, TestService } from "./service.js";

const MAX_BYTES = 16 * 1024;
const PIECE = 256 * 1024;
const isEmbedded = process.env.TEST_DATABASE !== "postgres";

const it = withOwnService({ trustProxy: ["127.0.0.1"] });

const piecesOf = async (s: TestService) =>
  Number(
    (await s.store.database.queries.execute<{ n: number }>(sql`SELECT count(*)::int AS n FROM job_bodies`))
      .rows[0]?.n,
  );

/** Creates a recording that cannot be compressed. */
const noise = async (serial: string, bytes: number) =>
  Buffer.concat([await walk(serial, START, 1), randomBytes(bytes)]);

describe("the recording of a bulk load", () => {
  it("is written in pieces of at most 256 KiB, and other statements can run in between", async ({
    service: s,
  }) => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const asi_b64 = base64(await noise(device.serial_number, 5 * PIECE + 10_000));
    // These are statements outside transactions. Each one waits in the queue separately.
    const sent = vi.spyOn(s.store.database.pool, "query");
    expect((await s.post(path(device.id), { asi_b64 }, ann.token)).status).toBe(200);
    const values = sent.mock.calls.flatMap(([, given]: unknown[]) => (Array.isArray(given) ? [given] : []));
    sent.mockRestore();
    const lengths = values
      .flatMap((of) => of.filter((value) => value instanceof Uint8Array))
      .map(({ length }) => length);
    const pieces = lengths.filter((length) => length > 1024);
    expect(pieces.slice(0, 5)).toEqual(Array(5).fill(PIECE));
    expect(pieces.length).toBe(await piecesOf(s));
    const { rows } = await s.store.database.queries.execute<{ n: number }>(
      sql`SELECT max(octet_length(bytes))::int AS n FROM job_bodies`,
    );
    expect(Number(rows[0]?.n)).toBe(PIECE);
    await s.runJobs();
    expect(await piecesOf(s)).toBe(0);
  });

  it("is deleted with its job or when its load is refused", async ({ service: s }) => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const asi_b64 = base64(await walk(device.serial_number, START, 10));
    const { body } = await s.post(path(device.id), { asi_b64 }, ann.token);
    expect(await piecesOf(s)).toBe(1);
    await s.store.database.queries.delete(jobs).where(eq(jobs.id, body.id));
    expect(await piecesOf(s)).toBe(0);
    // The service cannot write the audit row, so the transaction adds no job.
    await s.store.database.queries.execute(sql`ALTER TABLE audit_log RENAME TO audit_away`);
    const refused = await s.post(path(device.id), { asi_b64 }, ann.token);
    await s.store.database.queries.execute(sql`ALTER TABLE audit_away RENAME TO audit_log`);
    expect(refused.status).toBe(500);
    expect(await piecesOf(s)).toBe(0);
  });

  it("is removed after an hour if its process ended before it could add the job", async ({ service: s }) => {
    const { queries } = s.store.database;
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const asi_b64 = base64(await walk(device.serial_number, START, 10));
    const { body } = await s.post(path(device.id), { asi_b64 }, ann.token);
    await writeBody(queries, s.clock.now(), [randomBytes(2 * PIECE)]);
    await applyRetention(s.ctx);
    expect(await piecesOf(s)).toBe(3);
    s.clock.advance(3_600_001);
    await applyRetention(s.ctx);
    expect(await piecesOf(s)).toBe(1);
    const [kept] = await queries.select({ key: jobs.body }).from(jobs).where(eq(jobs.id, body.id));
    expect(await queries.$count(jobBodies, eq(jobBodies.body, kept?.key ?? ""))).toBe(1);
    await s.runJobs();
  });

  it.runIf(isEmbedded)(
    "is removed at the next start of the only process of the embedded database",
    async ({ service: s }) => {
      await writeBody(s.store.database.queries, new Date(Date.now() - 60_000), [randomBytes(10)]);
      await TestService.start(s.store);
      expect(await piecesOf(s)).toBe(0);
    },
  );
});

describe("bytes that wait for workers", () => {
  it("are limited per account and per address; other accounts are not refused", async ({ store }) => {
    const s = await TestService.start(store, { bulkLoadMaxBytes: MAX_BYTES, trustProxy: ["127.0.0.1"] });
    const scene = async () => {
      const account = await s.manager();
      const device = await s.ownedDevice(account);
      return { account, device, asi_b64: base64(await noise(device.serial_number, MAX_BYTES - 1024)) };
    };
    const load = async (
      { account, device, asi_b64 }: { account: TestAccount; device: { id: number }; asi_b64: string },
      address: string,
    ) =>
      s.send("POST", path(device.id), {
        token: account.token,
        json: { asi_b64 },
        headers: { "X-Forwarded-For": address },
      });
    const [ann, bob, eve] = [await scene(), await scene(), await scene()];
    const loads = async (who: typeof ann, address: string, times: number) => {
      const statuses: number[] = [];
      for (let time = 0; time < times; time++) statuses.push((await load(who, address)).status);
      return statuses;
    };
    expect(await loads(ann, "192.0.2.1", 8)).toEqual(Array(8).fill(200));
    const refused = await load(ann, "192.0.2.1");
    expect([refused.status, refused.headers.get("retry-after"), refused.body]).toEqual([
      429,
      "10",
      { detail: "Request was throttled. Expected available in 10 seconds." },
    ]);
    expect((await load(ann, "192.0.2.2")).status).toBe(429);
    expect(await loads(bob, "192.0.2.1", 8)).toEqual(Array(8).fill(200));
    expect((await load(eve, "192.0.2.1")).status).toBe(429);
    expect((await load(eve, "192.0.2.2")).status).toBe(200);
    await s.runJobs();
    expect((await load(ann, "192.0.2.1")).status).toBe(200);
    await s.runJobs();
  });

  it("count while they are being written, before their jobs exist", async ({ store }) => {
    const s = await TestService.start(store, { bulkLoadMaxBytes: MAX_BYTES });
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const asi_b64 = base64(await noise(device.serial_number, MAX_BYTES - 1024));
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => s.post(path(device.id), { asi_b64 }, ann.token)),
    );
    const accepted = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(12 - accepted);
    expect(accepted).toBeLessThanOrEqual(8);
    await s.runJobs();
  });
});
