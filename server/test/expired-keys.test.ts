/** Tests that an `Idempotency-Key` expires after exactly 24 hours, after which a request with the same key is a new request. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { IDEMPOTENCY_LIFETIME_MS } from "../src/domain/change/idempotency.js";
import { activities, idempotencyKeys } from "../src/store/schema.js";
import { hold } from "./held-locks.js";
import { walk } from "./recordings.js";
import { service, startService, type TestAccount, type TestDevice, type TestService } from "./service.js";
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

/** Changes the time at which the key was used. */
const usedAt = (key: string, at: Date) =>
  s.store.database.queries.update(idempotencyKeys).set({ createdAt: at }).where(eq(idempotencyKeys.key, key));

describe("an expired key that has not been removed", () => {
  /** Creates an activity with a key that was used 24.5 hours ago. */
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

  it("can be used by a new request, which takes effect once", async () => {
    const { first, create, count } = await expired();
    const second = await create();
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
    expect(await create()).toEqual(second);
    expect(await count()).toBe(2);
  });

  it.runIf(isPostgres)("is used by only one of two concurrent new requests", async () => {
    const { key, create, count } = await expired();
    const held = await hold(s, `SELECT FROM idempotency_keys WHERE key = '${key}' FOR UPDATE`);
    const both = [create(), create()];
    await held.waiters(2);
    await held.release();
    const [second, meanwhile] = await Promise.all(both);
    expect(second?.status).toBe(201);
    expect(meanwhile).toEqual(second);
    expect(await count()).toBe(2);
  });

  it.runIf(isPostgres)("can also be used if it is removed at the same moment", async () => {
    const { key, create, count } = await expired();
    const held = await hold(s, `SELECT FROM idempotency_keys WHERE key = '${key}' FOR UPDATE`);
    const creating = create();
    await held.waiters(1);
    await held.client.query("DELETE FROM idempotency_keys WHERE key = $1", [key]);
    await held.release();
    const second = await creating;
    expect(second.status).toBe(201);
    expect(await create()).toEqual(second);
    expect(await count()).toBe(2);
  });
});

describe("a key that expires while the body of a repeated request is received", () => {
  /** Loads a recording twice with the same key, which expires after the first bytes of the second body. */
  async function loadTwice(meanwhile: (device: TestDevice) => Promise<unknown>) {
    const device = await s.ownedDevice(ann);
    const path = `/api/v1/devices/${device.id}/bulk-load/`;
    const recording = await walk(device.serial_number, new Date().toISOString(), 1);
    const json = { asi_b64: Buffer.from(recording).toString("base64") };
    const key = randomUUID();
    const first = await post(path, json, key);
    expect(first.status).toBe(200);

    const later = await startService();
    later.clock.stopAt(Date.now());
    await usedAt(key, new Date(later.clock.now().getTime() - IDEMPOTENCY_LIFETIME_MS + 1_000));
    const begun = vi.spyOn(later.service.app.slots, "take");
    const body = JSON.stringify(json);
    const sent = request(`${later.service.url}${path}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${ann.token}`,
        "Idempotency-Key": key,
        "Content-Type": "application/json",
        "Content-Length": body.length,
      },
    });
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    sent.write(body.slice(0, 20));
    // The service acquires the slot immediately before it reads the body.
    await expect.poll(() => begun.mock.calls.length).toBe(1);
    await meanwhile(device);
    later.clock.advance(2_000);
    sent.end(body.slice(20));
    const [response] = await answered;
    return { first, status: response.statusCode, body: await readJson(response) };
  }

  it("can be used by a new request", async () => {
    const { first, status, body } = await loadTwice(async () => undefined);
    expect(status).toBe(200);
    expect(body).toHaveProperty("job_id", expect.not.stringContaining(first.body.job_id));
  });

  it("gives no access to a caller who has lost it", async () => {
    const { status, body } = await loadTwice((device) => s.release(device, ann));
    expect([status, body]).toEqual([403, { detail: expect.any(String) }]);
  });
});
