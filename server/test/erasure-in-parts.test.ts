/**
 * Tests that the rows of an account, of which there can be any number, are erased in many short transactions, so that others wait
 * only briefly.
 */
import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { createApplication } from "../src/oauth/applications.js";
import { commands } from "../src/operator/commands.js";
import {
  accessTokens,
  accounts,
  applications,
  auditLog,
  idempotencyKeys,
  jobs,
  webhookDeliveries,
} from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { TestService as Service, type TestService } from "./service.js";
import { Team } from "./team.js";

/** More rows than two transactions erase. */
const ROWS = 2_500;
const rows = sql.raw(`generate_series(1, ${ROWS}) AS n`);

/** Records how many rows of a table each transaction deletes or empties. */
async function watchTransactions({ store: { database } }: TestService): Promise<void> {
  await database.queries.execute(sql`CREATE TABLE erased (tx xid8, what text, rows int)`);
  await database.queries.execute(sql`
    CREATE FUNCTION note_erased() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO erased SELECT pg_current_xact_id(), TG_TABLE_NAME, count(*) FROM gone; RETURN NULL; END'`);
  for (const [table, event] of [
    ["audit_log", "UPDATE"],
    ["jobs", "DELETE"],
    ["webhook_deliveries", "DELETE"],
    ["idempotency_keys", "DELETE"],
    ["activities", "DELETE"],
    ["accounts", "DELETE"],
    ["access_tokens", "DELETE"],
    ["permissions", "DELETE"],
  ] as const) {
    await database.queries.execute(
      sql.raw(`CREATE TRIGGER note_erased AFTER ${event} ON ${table}
        REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_erased()`),
    );
  }
}

/** Returns for each table the maximum number of rows erased by one transaction, and the total number. */
async function erasedRows({ store: { database } }: TestService) {
  const found = await database.queries.execute<{ what: string; most: number; all: number }>(sql`
    SELECT what, max(rows)::int AS most, sum(rows)::int AS all
    FROM (SELECT tx, what, sum(rows) AS rows FROM erased GROUP BY tx, what) AS by_transaction GROUP BY what`);
  return Object.fromEntries(found.rows.map(({ what, most, all }) => [what, { most, all }]));
}

async function fill(
  { store: { database } }: TestService,
  { manager: { id }, activity }: Team,
): Promise<void> {
  const { queries } = database;
  await queries.execute(sql`
    INSERT INTO audit_log (at, account_id, operation, entity, entity_id, after, request_id)
    SELECT now(), ${id}, 'updateActivity', 'activity', ${activity}, jsonb_build_object('name', n), 'r' FROM ${rows}`);
  await queries.execute(sql`
    INSERT INTO idempotency_keys (account_id, path, key, fingerprint, created_at)
    SELECT ${id}, '/', n::text, '', now() FROM ${rows}`);
  await queries.execute(sql`
    INSERT INTO jobs (job_id, kind, account_id, charged_to, state, payload, details, due_at, created_at, finished_at)
    SELECT 'job-' || n, 'bulk-load', ${id}, ${id}, 'SUCCESS', '{}', '{}', now(), now(), now() FROM ${rows}`);
  await queries.execute(sql`
    WITH webhook AS (
      INSERT INTO webhooks (activity_id, webhook_url, secret_token, activity_events, timeframes_events, created_at)
      VALUES (${activity}, 'http://127.0.0.1:9/', 'sealed', true, true, now()) RETURNING id
    )
    INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, created_at)
    SELECT 'msg_' || n, webhook.id, 'http://127.0.0.1:9/', 'sealed', 'activity-updated', '{}', 'delivered', now()
    FROM webhook, ${rows}`);
  await queries.execute(sql`
    INSERT INTO activities (name, json, json_schema_id, owner_id, created_at)
    SELECT name, json, json_schema_id, owner_id, created_at FROM activities, generate_series(1, 120) WHERE id = ${activity}`);
  await queries.execute(sql`
    INSERT INTO accounts (role, username, username_key, email, managed_by, created_at)
    SELECT 'ATHLETE', 'of-' || n, 'of-' || n, '', ${id}, now() FROM generate_series(1, 120) AS n`);
}

it("audit entries, jobs, deliveries, responses, activities and athletes of a deleted manager are removed in short transactions", async () => {
  const s = await Service.start(await newStore());
  const [team, other] = [await Team.of(s), await Team.of(s)];
  await fill(s, team);
  const { queries } = s.store.database;
  const othersValues = () =>
    queries.$count(auditLog, sql`account_id = ${other.manager.id} AND after IS NOT NULL`);
  const before = await othersValues();
  await watchTransactions(s);
  await commands["account delete"](s.ctx, { username: team.manager.username });
  const erased = await erasedRows(s);
  for (const table of ["audit_log", "jobs", "webhook_deliveries", "idempotency_keys"]) {
    expect([table, erased[table]?.most]).toEqual([table, 1_000]);
    expect(erased[table]?.all).toBeGreaterThanOrEqual(ROWS);
  }
  expect(erased.activities).toEqual({ most: 50, all: 121 });
  expect(erased.accounts).toEqual({ most: 1, all: 122 });
  const { id } = team.manager;
  expect(await queries.$count(auditLog, sql`account_id = ${id} AND after IS NOT NULL`)).toBe(0);
  expect(await queries.$count(jobs, eq(jobs.accountId, id))).toBe(0);
  expect(await queries.$count(idempotencyKeys, eq(idempotencyKeys.accountId, id))).toBe(0);
  expect(await queries.$count(webhookDeliveries)).toBe(0);
  expect(await queries.$count(accounts)).toBe(2);
  expect(await othersValues()).toBe(before);
});

it("an erased athlete is removed from the audit log and from responses to other accounts in short transactions", async () => {
  const s = await Service.start(await newStore());
  const [team, athlete] = [await Team.of(s), await s.athlete()];
  const { queries } = s.store.database;
  await queries.execute(sql`
    INSERT INTO audit_log (at, account_id, operation, entity, entity_id, after, request_id)
    SELECT now(), ${athlete.id}, 'updateAthlete', 'account', ${athlete.id}, jsonb_build_object('name', n), 'r' FROM ${rows}`);
  await queries.execute(sql`
    INSERT INTO permissions (athlete_id, manager_id, permission, start_time, expiration_time)
    VALUES (${athlete.id}, ${team.manager.id}, 'READ', now(), now())`);
  // Every second row refers to the athlete.
  await queries.execute(sql`
    INSERT INTO idempotency_keys (account_id, path, key, fingerprint, body, created_at)
    SELECT ${team.manager.id}, '/' || n % 3, n::text, '', convert_to('{"athlete":' || ${athlete.id} + n % 2 || ',', 'UTF8'), now()
    FROM ${rows}`);
  await watchTransactions(s);
  const path = `/api/v1/athletes/${athlete.id}/erase/`;
  expect((await s.post(path, { password: athlete.password }, athlete.token)).status).toBe(200);
  const erased = await erasedRows(s);
  expect(erased.audit_log?.most).toBe(1_000);
  expect(erased.idempotency_keys).toEqual({ most: expect.any(Number), all: ROWS / 2 });
  expect(erased.idempotency_keys?.most).toBeLessThanOrEqual(600);
  expect(await queries.$count(idempotencyKeys)).toBe(ROWS / 2);
  expect(await queries.$count(auditLog, sql`account_id = ${athlete.id}`)).toBe(0);
});

it("a transaction of an erasure examines about 8 MiB of responses, without those to new activities", async () => {
  const s = await Service.start(await newStore());
  const [team, athlete] = [await Team.of(s), await s.athlete()];
  const { queries } = s.store.database;
  const { activity, manager } = team;
  await queries.execute(sql`
    INSERT INTO permissions (athlete_id, manager_id, permission, start_time, expiration_time)
    VALUES (${athlete.id}, ${manager.id}, 'READ', now(), now())`);
  await queries.execute(sql`
    INSERT INTO idempotency_keys (account_id, path, key, fingerprint, body, created_at)
    SELECT ${manager.id}, '/api/v1/timeframes/', n::text, '',
      convert_to(repeat('M', ${2 ** 20}) || '"athlete":' || ${athlete.id}::bigint || ',', 'UTF8'), now() FROM generate_series(1, 20) AS n`);
  const { body } = await s.get(`/api/v1/activities/${activity}/`, manager.token);
  const { id: _, ...fields } = body;
  const created = await s.send("POST", "/api/v1/%61ctivities/", {
    token: manager.token,
    json: { ...fields, json: { ...fields.json, note: [{ athlete: athlete.id }] } },
    headers: { "Idempotency-Key": "key" },
  });
  expect(created.status).toBe(201);
  await watchTransactions(s);
  await commands["athlete erase"](s.ctx, { id: String(athlete.id), yes: true });
  expect((await erasedRows(s)).idempotency_keys).toEqual({ most: 8, all: 20 });
  const kept = await queries.select({ path: idempotencyKeys.path }).from(idempotencyKeys);
  expect(kept).toEqual([{ path: "/api/v1/activities/" }]);
});

it("permissions of an athlete are removed a hundred at a time by a deletion and by an erasure", async () => {
  const s = await Service.start(await newStore());
  const [manager, deleted, erased] = [await s.manager(), await s.athlete(), await s.athlete()];
  await s.store.database.queries.execute(sql`
    INSERT INTO permissions (athlete_id, manager_id, permission, start_time, expiration_time)
    SELECT athlete, ${manager.id}, 'READ', now(), now()
    FROM unnest(ARRAY[${deleted.id}, ${erased.id}]::bigint[]) AS athlete, generate_series(1, 120)`);
  await watchTransactions(s);
  const path = (id: number) => `/api/v1/athletes/${id}/`;
  expect((await s.send("DELETE", path(deleted.id), { token: deleted.token })).status).toBe(204);
  expect((await erasedRows(s)).permissions).toEqual({ most: 100, all: 120 });
  const { token, password } = erased;
  expect((await s.post(`${path(erased.id)}erase/`, { password }, token)).status).toBe(200);
  expect((await erasedRows(s)).permissions).toEqual({ most: 100, all: 240 });
});

it("the tokens of a revoked application are removed in short transactions, and other tokens are kept", async () => {
  const s = await Service.start(await newStore());
  const person = await s.manager();
  const { queries } = s.store.database;
  const { clientId } = await createApplication(s.ctx, { name: "Lost", redirectUris: [] });
  await queries.execute(sql`
    INSERT INTO access_tokens (token_hash, account_id, application_id, expires_at)
    SELECT sha256(n::text::bytea), ${person.id}, id, now() + interval '1 hour'
    FROM ${applications}, ${rows} WHERE client_id = ${clientId}`);
  await watchTransactions(s);
  await commands["app revoke"](s.ctx, { clientId });
  expect((await erasedRows(s)).access_tokens).toEqual({ most: 1_000, all: ROWS });
  expect(await queries.$count(accessTokens)).toBe(1);
  expect((await s.get("/api/v1/account/", person.token)).status).toBe(200);
});
