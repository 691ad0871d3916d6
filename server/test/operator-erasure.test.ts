/** Tests the deletion of accounts by the operator. */
import { eq, inArray, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import type { ServiceError } from "../src/domain/change/errors.js";
import { deleteAccountById } from "../src/domain/deletion/account.js";
import { fanOut } from "../src/domain/webhooks/fan-out.js";
import { commands } from "../src/operator/commands.js";
import { jobColumns } from "../src/store/queue/job-queue.js";
import { Turn } from "../src/store/queue/turn.js";
import { accounts, jobs, webhookDeliveries } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { mailsOf, placesOf, profileOf } from "./erasure-marks.js";
import { managingManager } from "./people.js";
import { recordingOf, rowAt, timesFrom } from "./recordings.js";
import { service, startService, TestService } from "./service.js";
import { grant, newActivity, Team } from "./team.js";

const manyWebhooks = (s: TestService, activity: number, mark: string) =>
  s.store.database.queries.execute(sql`
    INSERT INTO webhooks (activity_id, webhook_url, secret_token, activity_events, timeframes_events, created_at)
    SELECT ${activity}, 'http://127.0.0.1:9/' || ${mark} || n, 'sealed', true, true, now()
    FROM generate_series(1, 300) AS n`);

async function remove(s: TestService, { activity, manager }: Team): Promise<void> {
  const { status } = await s.send("DELETE", `/api/v1/activities/${activity}/`, { token: manager.token });
  expect(status).toBe(204);
}

/** Returns the jobs that write deliveries to many webhooks of an account. */
const fanOutsOf = (s: TestService, id: number) =>
  s.store.database.queries
    .select(jobColumns)
    .from(jobs)
    .where(sql`${jobs.kind} = 'webhook-fan-out' AND ${jobs.chargedTo} = ${id}`);

describe("the operator can delete", () => {
  it("an athlete, with the same result as self-deletion", async () => {
    const s = await service();
    const mark = `mark${Date.now().toString(36)}d`;
    const athlete = {
      username: `${mark}-user`,
      email: `${mark}@example.org`,
      athlete_profile: profileOf(mark),
    };
    await s.post("/api/v1/athletes/", { ...athlete, password: "a long passphrase" });
    const token = await s.logIn(athlete.username, "a long passphrase");
    const outcome = await commands["account delete"](s.ctx, { username: athlete.username.toUpperCase() });
    expect(outcome).toMatchObject({ role: "ATHLETE", deleted: true });
    expect((await s.get("/api/v1/account/", token)).status).toBe(403);
    expect(await placesOf(s, mark)).toEqual([]);
    await expect(commands["account delete"](s.ctx, { username: athlete.username })).rejects.toThrow(
      "not_found",
    );
  });

  it("a manager with all their data, and no data of others", async () => {
    const s = await startService({ webhookAllowPrivate: true });
    const mark = `mark${Date.now().toString(36)}e`;
    const START = Date.parse("2024-03-01T10:00:00.000Z");
    const sizeOf = async (device: number, token: string) => {
      const span = `start=${START}&stop=${START + 3_600_000}`;
      const { body } = await s.get(`/api/v1/devices/${device}/preprocessed-data-ranges/?${span}`, token);
      return body.results.reduce((sum: number, { size }: { size: number }) => sum + size, 0);
    };
    const manager = await managingManager(
      {
        email: `${mark}@example.org`,
        external_id: `${mark}-external`,
        manager_profile: { first_name: `${mark} first`, last_name: `${mark} last` },
      },
      "",
      s,
    );
    const { token } = manager;
    const { body: managed } = await s.send("POST", "/api/v1/athletes/create-managed/", {
      token,
      json: { managed_by: manager.id, athlete_profile: profileOf(mark) },
      headers: { "Idempotency-Key": `key-${manager.id}` },
    });

    // Another manager owned the device until ten minutes after START. Both managers have samples in the same five minutes.
    const bystander = await Team.of(s);
    const device = await s.device();
    await s.take(device, bystander.manager);
    await s.backdate(device, "2024-01-01T00:00:00Z");
    const between = START + 600_000 + 60_000;
    await s.store.database.queries.execute(
      sql`UPDATE ownerships SET end_time = ${new Date(between)} WHERE device_id = ${device.id}`,
    );
    await s.take(device, manager);
    await s.backdate(device, new Date(between).toISOString());
    const times = timesFrom(new Date(START).toISOString(), 1200, 1000);
    const recording = await recordingOf(device.serial_number, times.map(rowAt), { firmwareVersion: "1.0.0" });
    expect((await s.load(device, manager, recording)).body.details.samples_stored).toBe(540);
    expect(await sizeOf(device.id, token)).toBe(540);
    await s.send("PUT", `/api/v1/devices/${device.id}/set-custom-name/`, {
      token,
      json: { custom_name: `${mark} left` },
    });
    const paired = await s.send("PATCH", `/api/v1/devices/${device.id}/bluetooth-config/`, {
      token,
      json: { pairing_1: { mac_address: "00:11:22:33:44:55", name: mark } },
    });
    expect(paired.status).toBe(200);
    await commands["device report-start"](s.ctx, { serialNumber: device.serial_number });

    const activity = await newActivity(s, manager, `${mark} match`);
    const hook = await s.post(
      `/api/v1/activities/${activity}/webhooks/`,
      {
        webhook_url: `http://127.0.0.1:9/${mark}`,
        secret_token: "a secret",
        activity_events: true,
        timeframes_events: true,
      },
      token,
    );
    expect(hook.status).toBe(200);
    await s.send("PATCH", `/api/v1/activities/${activity}/`, { token, json: { name: `${mark} final` } });
    const frame = await s.post(
      "/api/v1/timeframes/",
      await bystander.body({
        start_time: new Date(between).toISOString(),
        end_time: new Date(between + 60_000).toISOString(),
        params: { note: mark },
        device: device.id,
        activity,
        athlete: managed.id,
        owner: manager.id,
      }),
      token,
    );
    expect(frame.status).toBe(201);
    await grant(s, bystander.athlete, manager.id, "READ", "2024-01-01T00:00:00Z", "2030-01-01T00:00:00Z");
    await s.runJobs();
    expect(await placesOf(s, mark)).toEqual(
      expect.arrayContaining(["accounts", "activities", "audit_log", "bluetooth_configurations", "devices"]),
    );
    expect(mailsOf(s, mark)).toHaveLength(1);
    const asi_b64 = Buffer.from(recording).toString("base64");
    expect((await s.post(`/api/v1/devices/${device.id}/bulk-load/`, { asi_b64 }, token)).status).toBe(200);
    const { queries } = s.store.database;
    const uploads = await queries.select({ id: jobs.id }).from(jobs).where(eq(jobs.accountId, manager.id));
    // One upload has been completed, the other one is waiting.
    expect(uploads).toHaveLength(2);

    const outcome = await commands["account delete"](s.ctx, { username: manager.username });
    expect(outcome).toEqual({ account: manager.id, role: "MANAGER", deleted: true });
    const ids = uploads.map(({ id }) => id);
    expect(await queries.select({ id: jobs.id }).from(jobs).where(inArray(jobs.id, ids))).toEqual([]);
    expect((await s.get("/api/v1/account/", token)).status).toBe(403);
    for (const value of [mark, manager.username]) expect(await placesOf(s, value)).toEqual([]);
    expect(mailsOf(s, mark)).toEqual([]);
    const { rows } = await queries.execute<{ samples: number }>(
      sql`SELECT coalesce(sum(n), 0)::int AS samples FROM sample_chunks WHERE device_id = ${device.id}`,
    );
    expect(rows[0]?.samples).toBe(0);

    const { status } = await s.take(device, bystander.manager);
    expect(status).toBe(201);
    expect((await s.get(`/api/v1/activities/${bystander.activity}/`, bystander.manager.token)).status).toBe(
      200,
    );
    await s.runJobs();
    expect(await placesOf(s, mark)).toEqual([]);
  });

  it("a manager in two processes at the same time, one of which has deleted a managed athlete", async () => {
    const s = await startService();
    const manager = await managingManager({}, "", s);
    for (const name of ["one", "two", "three"]) {
      const body = { athlete_profile: { first_name: name }, managed_by: manager.id };
      expect((await s.post("/api/v1/athletes/create-managed/", body, manager.token)).status).toBe(201);
    }
    const { queries } = s.store.database;
    const isGone = async () =>
      (await queries.select().from(accounts).where(eq(accounts.id, manager.id))).length === 0;
    const ends = await Promise.all(
      [1, 2].map(() =>
        deleteAccountById(s.ctx, manager.id).then(
          () => "deleted",
          async (error: unknown) => [(error as ServiceError).kind, await isGone()],
        ),
      ),
    );
    expect(ends).toContain("deleted");
    for (const end of ends) expect(["deleted", ["not_found", true]]).toContainEqual(end);
    expect(await isGone()).toBe(true);
    await s.stop();
  });

  it("a manager, without the samples of a former owner in the same five minutes", async () => {
    const s = await startService();
    const [ann, bob] = [await s.manager(), await s.manager()];
    const device = await s.device();
    await s.take(device, ann);
    await s.backdate(device, "2024-01-01T00:00:00Z");
    const start = "2024-03-01T10:00:00.000Z";
    const load = (by: typeof ann, from: string) =>
      recordingOf(device.serial_number, timesFrom(from, 60, 1000).map(rowAt)).then((recording) =>
        s.load(device, by, recording),
      );
    await load(ann, start);
    const boundary = "2024-03-01T10:01:00.000Z";
    await s.store.database.queries.execute(
      sql`UPDATE ownerships SET end_time = ${new Date(boundary)} WHERE device_id = ${device.id}`,
    );
    await s.take(device, bob);
    await s.backdate(device, boundary);
    await load(bob, boundary);
    await commands["account delete"](s.ctx, { username: bob.username });
    const path = `/api/v1/devices/${device.id}/preprocessed-data/?start=${start}&stop=2024-03-01T10:05:00.000Z`;
    expect((await s.get(path, ann.token)).body.results).toHaveLength(60);
    expect((await s.take(device, ann)).status).toBe(201);
  });

  it("an account without further calls to its webhooks, however many are waiting; calls for other accounts continue", async () => {
    const s = await TestService.start(await newStore(), { webhookAllowPrivate: true });
    const { queries } = s.store.database;
    const mark = `mark${Date.now().toString(36)}f`;
    const [eve, bob] = [await Team.of(s), await Team.of(s)];
    await manyWebhooks(s, eve.activity, mark);
    await manyWebhooks(s, bob.activity, "others");
    await remove(s, eve);
    await remove(s, bob);
    const [job] = await fanOutsOf(s, eve.manager.id);
    if (job === undefined) throw new Error("No job");
    expect(await placesOf(s, mark)).toContain("jobs");

    await commands["account delete"](s.ctx, { username: eve.manager.username });
    expect(await placesOf(s, mark)).toEqual([]);
    // A worker had already leased the job.
    expect(await fanOut(s.ctx, job, new Turn(Number.POSITIVE_INFINITY))).toEqual({ deliveries: 0 });
    expect(await placesOf(s, mark)).toEqual([]);
    for (const own of await fanOutsOf(s, bob.manager.id)) {
      await queries.update(jobs).set({ leaseToken: "ours" }).where(eq(jobs.id, own.id));
      expect(await fanOut(s.ctx, { ...own, leaseToken: "ours" }, new Turn(Number.POSITIVE_INFINITY))).toEqual(
        { deliveries: 300 },
      );
      // The steps have not written the payload again. A worker that takes over continues after the last step.
      const [after] = await fanOutsOf(s, bob.manager.id);
      expect([after?.payload, after?.details]).toEqual([own.payload, { done: 300 }]);
      await queries.update(webhookDeliveries).set({ state: "delivered" });
      expect(
        await fanOut(s.ctx, { ...own, ...after, leaseToken: "ours" }, new Turn(Number.POSITIVE_INFINITY)),
      ).toEqual({ deliveries: 300 });
    }
    expect(await queries.$count(webhookDeliveries)).toBe(300);
  });

  it("an account, whose webhooks are not called once it is closed, even if the deletion then stops; webhooks of a disabled account are called", async () => {
    const s = await TestService.start(await newStore(), { webhookAllowPrivate: true });
    const { queries } = s.store.database;
    const [eve, bob] = [await Team.of(s), await Team.of(s)];
    for (const team of [eve, bob]) {
      await manyWebhooks(s, team.activity, "hook");
      await remove(s, team);
    }
    const fanOutOf = async ({ manager }: Team) => {
      const [job] = await fanOutsOf(s, manager.id);
      if (job === undefined) throw new Error("No job");
      await queries.update(jobs).set({ leaseToken: "ours" }).where(eq(jobs.id, job.id));
      return () => fanOut(s.ctx, { ...job, leaseToken: "ours" }, new Turn(Number.POSITIVE_INFINITY));
    };
    const [closed, disabled] = [await fanOutOf(eve), await fanOutOf(bob)];
    await transact(s.ctx, "account delete", async (unit) => {
      await unit.queries
        .update(accounts)
        .set({ disabledAt: unit.now })
        .where(eq(accounts.id, eve.manager.id));
      await unit.announce("accountClosed", { accountId: eve.manager.id });
    });
    await commands["account disable"](s.ctx, { username: bob.manager.username });
    await expect(closed()).rejects.toThrow("took over");
    expect(await queries.$count(webhookDeliveries)).toBe(0);
    expect(await disabled()).toEqual({ deliveries: 300 });
    expect(await queries.$count(webhookDeliveries)).toBe(300);
  });
});
