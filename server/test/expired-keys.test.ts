/** An `Idempotency-Key` ends after 24 hours, whenever that is, and what it was sent with is then a new request. */
import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { IDEMPOTENCY_LIFETIME_MS } from "../src/domain/idempotency.js";
import { activities, idempotencyKeys } from "../src/store/schema.js";
import { hold } from "./held-locks.js";
import { service, type TestAccount, type TestService } from "./service.js";
import { schemaId } from "./team.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
});

async function post(path: string, json: unknown, key: string) {
  const headers = { "Idempotency-Key": key };
  const { status, body } = await s.send("POST", path, { token: ann.token, json, headers });
  return { status, body };
}

/** Makes it so that the key was used at that time. */
const usedAt = (key: string, at: Date) =>
  s.store.database.queries.update(idempotencyKeys).set({ createdAt: at }).where(eq(idempotencyKeys.key, key));

describe("a key that has expired and is not yet removed", () => {
  /** A creation of half an hour before the last 24 hours. */
  async function expired() {
    const [name, key] = [randomUUID(), randomUUID()];
    const json_schema = await schemaId(s, "activity_soccer");
    const json = { name, json: { sport: "soccer" }, json_schema, owner: ann.id };
    const create = () => post("/api/v1/activities/", json, key);
    const first = await create();
    expect(first.status).toBe(201);
    await usedAt(key, new Date(Date.now() - IDEMPOTENCY_LIFETIME_MS - 1_800_000));
    const count = () => s.store.database.queries.$count(activities, eq(activities.name, name));
    return { first, key, create, count };
  }

  it("is that of a new request, which is done once", async () => {
    const { first, create, count } = await expired();
    const second = await create();
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
    expect(await create()).toEqual(second);
    expect(await count()).toBe(2);
  });

  it.runIf(isPostgres)("is that of one new request when two come at once", async () => {
    const { key, create, count } = await expired();
    const held = await hold(s, `SELECT FROM idempotency_keys WHERE key = '${key}' FOR UPDATE`);
    const both = [create(), create()];
    await held.waiters(2);
    await held.letGo();
    const [second, meanwhile] = await Promise.all(both);
    expect(second?.status).toBe(201);
    expect(meanwhile).toEqual(second);
    expect(await count()).toBe(2);
  });

  it.runIf(isPostgres)("is claimed too when it is removed at that moment", async () => {
    const { key, create, count } = await expired();
    const held = await hold(s, `SELECT FROM idempotency_keys WHERE key = '${key}' FOR UPDATE`);
    const creating = create();
    await held.waiters(1);
    await held.client.query("DELETE FROM idempotency_keys WHERE key = $1", [key]);
    await held.letGo();
    const second = await creating;
    expect(second.status).toBe(201);
    expect(await create()).toEqual(second);
    expect(await count()).toBe(2);
  });
});
