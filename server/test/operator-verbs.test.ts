/** What the operator's commands do to accounts, applications, devices, samples, jobs and webhooks, as users see it. */
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { and, desc, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transact } from "../src/domain/change.js";
import { createApplication } from "../src/oauth/applications.js";
import { type Arguments, type CommandName, commands, type Outcome } from "../src/operator/commands.js";
import { allocateColumns, FIX_3D, sqlClientOf, storeSamples } from "../src/store/samples/index.js";
import { accounts, auditLog, jobs, removedSamples, webhookDeliveries } from "../src/store/schema.js";
import { startMailServer } from "./mail-server.js";
import { managingManager } from "./people.js";
import { newStore, type TestAccount, TestService } from "./service.js";
import { grant, newActivity, Team } from "./team.js";

let s: TestService;

beforeAll(async () => {
  // A database of its own: lists and jobs are those of these tests.
  s = await TestService.start(await newStore(), { webhookAllowPrivate: true, host: "127.0.0.1" });
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

const OPERATOR = "root";

const run = (name: CommandName, args: Arguments = {}): Promise<Outcome> =>
  commands[name]({ ...s.ctx, database: s.store.database, operator: OPERATOR }, args);

const list = async (name: CommandName, args: Arguments = {}) =>
  (await run(name, args)).items as Record<string, unknown>[];

const refusal = (name: CommandName, args: Arguments) =>
  run(name, args).then(
    () => "done",
    (error) => error.code as string,
  );

const lastAudit = async () => {
  const [row] = await s.store.database.queries.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1);
  return row;
};

const account = ({ token }: TestAccount) => s.get("/api/v1/account/", token);

describe("account disable", () => {
  it("refuses tokens, sessions and refresh tokens with a clear error, until account enable", async () => {
    const ann = await s.manager();
    const { username, password } = ann;
    const { refresh_token } = (await s.token({ grant_type: "password", username, password })).body;
    const refresh = () => s.token({ grant_type: "refresh_token", refresh_token });
    const page = { "X-Asi-Page": "1" };
    const signIn = (given: string) =>
      s.send("POST", "/session/", { json: { username, password: given }, headers: page });
    const cookie = (await signIn(password)).headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
    const onPage = () => s.send("GET", "/api/v1/account/", { headers: { ...page, Cookie: cookie } });
    expect((await onPage()).status).toBe(200);

    expect(await run("account disable", { username: username.toUpperCase() })).toEqual({
      username,
      disabled: expect.any(String),
    });
    expect(await lastAudit()).toMatchObject({
      operation: "account disable",
      operator: OPERATOR,
      accountId: null,
      entityId: ann.id,
      before: { disabledAt: null },
      after: { disabledAt: expect.any(String) },
    });
    const told = { detail: "This account is disabled. Ask the operator of the service." };
    for (const refused of [await account(ann), await onPage()]) {
      expect([refused.status, refused.headers.get("x-error-code"), refused.body]).toEqual([
        403,
        "account_disabled",
        told,
      ]);
    }
    const disabled = { error: "invalid_grant", error_description: "Invalid grant: the account is disabled" };
    expect((await refresh()).body).toEqual(disabled);
    expect((await s.token({ grant_type: "password", username, password })).body).toEqual(disabled);
    expect((await signIn(password)).body).toEqual(told);
    // Who does not know the password does not learn it.
    expect((await signIn("wrong")).headers.get("x-error-code")).toBe("wrong_credentials");
    const wrong = await s.token({ grant_type: "password", username, password: "wrong" });
    const nobody = await s.token({ grant_type: "password", username: "nobody", password: "wrong" });
    expect([wrong.status, wrong.body]).toEqual([nobody.status, nobody.body]);

    expect(await run("account enable", { username })).toEqual({ username, disabled: null });
    expect([(await account(ann)).status, (await onPage()).status, (await refresh()).status]).toEqual([
      200, 200, 200,
    ]);
    expect(await lastAudit()).toMatchObject({ operation: "obtainToken", operator: null });
  });

  it("says so on the login page of an application, to who knows the password", async () => {
    const { username, password } = await s.manager();
    const redirect_uri = "https://app.example.org/";
    const { clientId } = await createApplication(s.ctx, { name: "App", redirectUris: [redirect_uri] });
    await run("account disable", { username });
    const logIn = async (given: string) => {
      const form = { response_type: "code", client_id: clientId, redirect_uri, username, password: given };
      return (await s.send("POST", "/oauth2/authorize/", { form })).body;
    };
    expect(await logIn(password)).toContain("This account is disabled.");
    expect(await logIn("wrong")).toContain("The username or the password is wrong.");
  });

  it("leaves the data: those who may read it go on, and nothing is deleted", async () => {
    const team = await Team.of(s);
    const reader = await s.manager();
    await grant(s, team.athlete, reader.id, "READ", "2020-01-01", "2999-01-01");
    const { username } = team.manager;
    const { devices, activities, managed_athletes } = await run("account show", { username });
    expect([devices, activities, managed_athletes]).toEqual([1, 1, 1]);
    await run("account disable", { username });
    expect((await s.get(`/api/v1/athletes/${team.athlete}/`, reader.token)).status).toBe(200);
    expect(await run("account show", { username })).toMatchObject({
      devices,
      activities,
      managed_athletes,
      can_log_in: false,
    });
  });

  it("of nobody is refused, and twice is once", async () => {
    const { username } = await s.manager();
    expect(await refusal("account disable", { username: "nobody" })).toBe("not_found");
    const once = await run("account disable", { username });
    expect(await run("account disable", { username })).toEqual(once);
  });
});

describe("account list and show", () => {
  it("tell what an account is, without password, picture or token", async () => {
    const manager = await managingManager(
      { manager_profile: { first_name: "Zoë", last_name: "Zorn" } },
      "",
      s,
    );
    const { username } = manager;
    const [zoe] = await list("account list", { search: "zorn", role: "manager" });
    expect(zoe).toEqual({
      id: manager.id,
      username,
      role: "manager",
      email: `${username}@example.org`,
      first_name: "Zoë",
      last_name: "Zorn",
      external_id: null,
      managed_by: null,
      created: expect.stringMatching(/Z$/),
      disabled: null,
    });
    const shown = await run("account show", { username });
    expect(shown).toMatchObject({ ...zoe, can_log_in: true, can_create_managed_athletes: true, sessions: 2 });
    expect(JSON.stringify(shown)).not.toMatch(/argon2|hash/i);
    await run("account disable", { username });
    const disabled = await list("account list", { disabled: true, search: "zorn" });
    expect(disabled.map(({ id }) => id)).toEqual([manager.id]);
    expect(await list("account list", { search: "zorn", role: "athlete" })).toEqual([]);
    expect(await refusal("account list", { role: "king" })).toBe("invalid");
  });

  it("come in parts, each row once, however many there are", async () => {
    await s.store.database.queries.execute(sql`
      INSERT INTO accounts (role, username, username_key, email, created_at)
      SELECT 'ATHLETE', 'many-' || n, 'many-' || n, '', now() FROM generate_series(1, 1200) AS n`);
    const seen: unknown[] = [];
    let next: unknown = null;
    let parts = 0;
    do {
      const part = await run("account list", {
        search: "many-",
        ...(next === null ? {} : { after: String(next) }),
      });
      seen.push(...(part.items as { username: string }[]).map(({ username }) => username));
      next = part.next;
      parts += 1;
    } while (next !== null);
    expect([parts, seen.length, new Set(seen).size]).toEqual([3, 1200, 1200]);
    await s.store.database.queries.delete(accounts).where(sql`username LIKE 'many-%'`);
  });
});

describe("account reset-password", () => {
  it("mails a link, and is refused where nobody could use it", async () => {
    const manager = await managingManager({}, "?create_default_athlete=true", s);
    const { username } = manager;
    expect(await run("account reset-password", { username })).toEqual({
      username,
      mailed_to: `${username}@example.org`,
      expires: expect.stringMatching(/Z$/),
    });
    expect(await lastAudit()).toMatchObject({
      operation: "account reset-password",
      operator: OPERATOR,
      after: { passwordReset: "link mailed" },
    });
    await s.runJobs();
    const mails = readdirSync(join(s.config.dataDir, "mail"));
    expect(mails.filter((name) => name.startsWith(`account-${manager.id}-`))).toHaveLength(2);
    const [athlete] = await list("account list", { search: "MANAGED", role: "ATHLETE" });
    expect(await refusal("account reset-password", { username: String(athlete?.username) })).toBe(
      "cannot_log_in",
    );
    await run("account disable", { username });
    expect(await refusal("account reset-password", { username })).toBe("cannot_log_in");
  });
});

describe("app list and rotate-secret", () => {
  it("replace a lost secret: the old one ends at once, and sessions go on with the new one", async () => {
    const { username, password } = await s.manager();
    const { clientId, clientSecret } = await createApplication(s.ctx, { name: "Coach", redirectUris: [] });
    const token = (secret: string, form: Record<string, string>) =>
      s.token({ client_id: clientId, client_secret: secret, ...form });
    const { body } = await token(clientSecret, { grant_type: "password", username, password });
    const refresh = { grant_type: "refresh_token", refresh_token: body.refresh_token };

    const { client_secret: fresh } = await run("app rotate-secret", { clientId });
    expect((await token(clientSecret, refresh)).body.error).toBe("invalid_client");
    expect((await token(String(fresh), refresh)).status).toBe(200);
    const audit = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.operation, "app rotate-secret"), eq(auditLog.entity, "application")));
    expect(audit).toMatchObject([{ operator: OPERATOR, after: { secret: "rotated", secretHash: "***" } }]);

    const apps = await list("app list");
    expect(apps.find(({ client_id }) => client_id === clientId)).toMatchObject({
      name: "Coach",
      sessions: 1,
      revoked: null,
    });
    for (const secret of [clientSecret, String(fresh), "hash"])
      expect(JSON.stringify(apps)).not.toContain(secret);
    expect(await refusal("app rotate-secret", { clientId: "asi-page" })).toBe("no_secret");
    expect(await refusal("app rotate-secret", { clientId: "nobody" })).toBe("not_found");
    await run("app revoke", { clientId });
    expect(await refusal("app rotate-secret", { clientId })).toBe("application_revoked");
  });
});

describe("device list, rename and retire", () => {
  it("list every device with its owner, and those of one owner", async () => {
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

  it("rename a device as its owner would, and the name by which it is taken", async () => {
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

  it("retire a device: it is nobody's, nobody takes it, and its owner keeps the samples", async () => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const { serial_number: serialNumber } = device;
    const startMs = Date.now() - 60_000;
    await s.backdate(device, new Date(startMs - 1000).toISOString());
    await storeAt(device.id, [startMs, startMs + 100]);
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
async function storeAt(deviceId: number, times: readonly number[]): Promise<void> {
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

  it("deletes an interval, and computes what counted on it again, also beside samples that have expired", async () => {
    const team = await Team.of(s);
    const { device, manager } = team;
    const frame = await team.frame(0, 600);
    await team.run(0, 600, 5_000);
    const { body: before } = await team.computed(frame);
    const { body: stored } = await s.get(`/api/v1/timeframes/${frame}/`, manager.token);
    const startMs = Date.parse(stored.start_time);
    // Retention has removed others: it keeps results, and a deletion must not.
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

  it("goes on over any number of chunks in transactions of bounded size, and counts recordings that wait", async () => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const firstMs = Date.parse("2024-01-01T00:00:00Z");
    await storeAt(
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

  it("refuses another device, no time, and a stop before the start", async () => {
    const { serial_number: serialNumber } = await s.device();
    const [start, stop] = ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"];
    expect(await refusal("samples delete", { serialNumber: "NONE", start, stop })).toBe("not_found");
    expect(await refusal("samples delete", { serialNumber, start: "yesterday", stop })).toBe("invalid");
    expect(await refusal("samples delete", { serialNumber, start: stop, stop: start })).toBe("invalid");
  });
});

describe("job list, retry and revoke", () => {
  it("list jobs without their content, and run one that waits for its next try", async () => {
    const server = await startMailServer();
    const at = await TestService.start(s.store, { smtpUrl: server.url });
    server.refuses = true;
    const ann = await at.manager();
    await at.runJobs();
    const [failing] = await list("job list", { state: "RETRY", kind: "mail", account: undefined });
    expect(failing).toMatchObject({
      kind: "mail",
      state: "RETRY",
      failures: 1,
      due: expect.any(String),
      finished: null,
    });
    expect(JSON.stringify(failing)).not.toContain(ann.username);
    server.refuses = false;
    await at.runJobs();
    expect(server.mails).toHaveLength(0);
    const jobId = String(failing?.job_id);
    expect(await run("job retry", { jobId })).toEqual({ job_id: jobId, kind: "mail", state: "RETRY" });
    expect(await lastAudit()).toMatchObject({ operation: "job retry", operator: OPERATOR, entity: "job" });
    await at.runJobs();
    expect(server.mails).toHaveLength(1);
    expect(await refusal("job retry", { jobId })).toBe("job_not_retriable");
    expect(await refusal("job retry", { jobId: "job-none" })).toBe("not_found");
  });

  it("run a failed computation again, and no other failed job: its content was erased", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 10);
    const { queries } = s.store.database;
    await s.runJobs();
    const failed = async (kind: string, payload: object) => {
      const jobId = `job-${randomUUID()}`;
      await transact(s.ctx, "test", async (unit) => {
        const job = await unit.enqueue({
          kind: "compute",
          payload: { ...payload },
          chargedTo: team.manager.id,
        });
        await unit.queries
          .update(jobs)
          .set({ jobId, kind, failures: 1000 })
          .where(eq(jobs.id, job?.id ?? 0));
      });
      return jobId;
    };
    // Not a number: the computation fails, for good after so many failures.
    const broken = await failed("compute", { timeframe: "x" });
    await s.runJobs();
    const [row] = await queries.select().from(jobs).where(eq(jobs.jobId, broken));
    expect(row).toMatchObject({ state: "FAILURE", payload: {}, details: { code: "failed", timeframe: "x" } });
    expect(await refusal("job retry", { jobId: broken })).toBe("job_not_retriable");
    await queries
      .update(jobs)
      .set({ details: { code: "failed", timeframe: frame } })
      .where(eq(jobs.jobId, broken));
    expect(await run("job retry", { jobId: broken })).toMatchObject({ state: "PENDING" });
    await s.runJobs();
    expect(
      (await list("job list", { kind: "compute", state: "SUCCESS" })).map(({ job_id }) => job_id),
    ).toContain(broken);
    const lost = await failed("bulk-load", { device: team.device.id, manager: team.manager.id });
    await s.runJobs();
    expect(await refusal("job retry", { jobId: lost })).toBe("job_not_retriable");
  });

  it("revoke a job that waits, with its content, and the call of a webhook with its delivery", async () => {
    const ann = await s.manager();
    await s.runJobs();
    await s.post("/api/v1/account/request-password-reset/", { username: ann.username });
    const [mail] = await list("job list", { kind: "mail", state: "PENDING" });
    const jobId = String(mail?.job_id);
    expect(await run("job revoke", { jobId })).toEqual({
      job_id: jobId,
      kind: "mail",
      was: "PENDING",
      state: "REVOKED",
    });
    const [row] = await s.store.database.queries.select().from(jobs).where(eq(jobs.jobId, jobId));
    expect(row).toMatchObject({
      state: "REVOKED",
      payload: {},
      finishedAt: expect.any(Date),
      leaseToken: null,
    });
    expect(await refusal("job revoke", { jobId })).toBe("job_ended");

    const { id } = await webhookOf(ann, "http://127.0.0.1:9/hook");
    const [call] = await list("job list", { kind: "webhook", account: ann.username });
    await run("job revoke", { jobId: String(call?.job_id) });
    const [delivery] = await s.store.database.queries
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.webhookId, id));
    expect(delivery).toMatchObject({
      state: "failed",
      response: "Not sent: the operator of the service has revoked the job.",
    });
  });

  it("revoke a job under way: what it does then is not recorded", async () => {
    const server = await startMailServer();
    const at = await TestService.start(s.store, { smtpUrl: server.url });
    await s.runJobs();
    const release = server.hold({ refuses: true });
    await at.manager();
    const done = at.runJobs();
    await expect.poll(() => server.held()).toBe(1);
    const [running] = await list("job list", { state: "STARTED" });
    const jobId = String(running?.job_id);
    expect(await run("job revoke", { jobId })).toMatchObject({ was: "STARTED", state: "REVOKED" });
    release();
    await done;
    expect(await list("job list", { state: "REVOKED" })).toContainEqual(
      expect.objectContaining({ job_id: jobId, failures: 0, code: "revoked" }),
    );
  });
});

/** A webhook of an account, with a delivery that waits. */
async function webhookOf(owner: TestAccount, webhook_url: string): Promise<{ id: number; path: string }> {
  const activity = await newActivity(s, owner);
  const path = `/api/v1/activities/${activity}/webhooks/`;
  const body = { webhook_url, secret_token: "sesame", activity_events: true, timeframes_events: true };
  const { id } = (await s.post(path, body, owner.token)).body;
  await s.post(`${path}${id}/test/`, undefined, owner.token);
  return { id, path: `${path}${id}/` };
}

describe("webhook list and disable", () => {
  it("list webhooks without their secrets, and stop one with all its calls until its owner updates it", async () => {
    const ann = await s.manager();
    const { id, path } = await webhookOf(ann, "http://127.0.0.1:9/stop");
    const [row] = await list("webhook list", { account: ann.username });
    expect(row).toMatchObject({ id, owner: ann.username, url: "http://127.0.0.1:9/stop", disabled: null });
    expect(JSON.stringify(row)).not.toContain("secret");
    expect(await run("webhook disable", { id: String(id) })).toEqual({ id, disabled: expect.any(String) });
    expect(await lastAudit()).toMatchObject({
      operation: "webhook disable",
      operator: OPERATOR,
      entity: "webhook",
      before: { disabledAt: null, secretToken: "***" },
    });
    const deliveries = (await s.get(`${path}deliveries/`, ann.token)).body.results;
    expect(deliveries).toMatchObject([{ state: "failed", response: expect.stringContaining("operator") }]);
    expect(await list("job list", { kind: "webhook", state: "PENDING", account: ann.username })).toEqual([]);
    expect((await list("webhook list", { disabled: true })).map((webhook) => webhook.id)).toContain(id);
    await s.send("PATCH", path, { token: ann.token, json: { activity_events: false } });
    expect(await list("webhook list", { account: ann.username })).toMatchObject([{ disabled: null }]);
    const refused = ["999999", "x", "0"].map((wrong) => refusal("webhook disable", { id: wrong }));
    expect(await Promise.all(refused)).toEqual(["not_found", "invalid", "invalid"]);
  });
});
