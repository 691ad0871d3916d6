/** Tests that a POST with an `Idempotency-Key` takes effect once, and that every repetition gets the original response. */
import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { idempotencyKeys } from "../src/store/schema.js";
import { managingManager } from "./people.js";
import { walk } from "./recordings.js";
import { newScene, type Scene } from "./scene.js";
import { service, startService, type TestAccount, type TestService } from "./service.js";
import { schemaId } from "./team.js";

let s: TestService;
let scene: Scene;

beforeAll(async () => {
  s = await service();
  scene = await newScene(s);
});

/** Posts a body with a key. @returns the bytes and the relevant headers of the response */
async function post(path: string, by: TestAccount, json: unknown, key: string, at = s) {
  const response = await fetch(`${at.service.url}${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${by.token}`,
      "Idempotency-Key": key,
      ...(json === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return {
    status: response.status,
    body: await response.text(),
    headers: ["content-type", "content-length", "etag", "vary", "deprecation"].map((name) => [
      name,
      response.headers.get(name),
    ]),
  };
}

/** Returns a body for each POST that changes something. */
const requests: Record<string, () => Promise<{ path: string; by: TestAccount; json?: unknown }>> = {
  createManagedAthlete: async () => {
    const by = await managingManager();
    return {
      path: "/api/v1/athletes/create-managed/",
      by,
      json: { managed_by: by.id, athlete_profile: { first_name: "Zoë" } },
    };
  },
  createPermission: async () => ({
    path: `/api/v1/athletes/${scene.thatAthlete.id}/managers/${scene.owner.id}/permissions/`,
    by: scene.thatAthlete,
    json: permission,
  }),
  createPermissions: async () => ({
    path: `/api/v1/athletes/${scene.thatAthlete.id}/managers/${scene.owner.id}/permissions/`,
    by: scene.thatAthlete,
    json: [permission, { ...permission, permission: "WRITE" }],
  }),
  takeOwnership: async () => ({
    path: "/api/v1/devices/take-ownership/",
    by: scene.anotherManager,
    json: await s.device(),
  }),
  setCustomName: async () => ({
    path: `/api/v1/devices/${scene.device.id}/set-custom-name/`,
    by: scene.owner,
    json: { custom_name: "Number 7" },
  }),
  releaseOwnership: async () => {
    const device = await s.ownedDevice(scene.anotherManager);
    return { path: `/api/v1/devices/${device.id}/release-ownership/`, by: scene.anotherManager };
  },
  createActivity: async () => ({
    path: "/api/v1/activities/",
    by: scene.owner,
    json: {
      name: "Once",
      json: { sport: "soccer" },
      json_schema: await schemaId(s, "activity_soccer"),
      owner: scene.owner.id,
    },
  }),
  createTimeframe: async () => ({
    path: "/api/v1/timeframes/",
    by: scene.owner,
    json: {
      start_time: "2024-06-01T10:00:00Z",
      end_time: "2024-06-01T11:00:00Z",
      params: {},
      device: scene.device.id,
      activity: scene.ids.activity,
      athlete: scene.managedAthlete,
      owner: scene.owner.id,
      json_schema: await schemaId(s, "timeframe_soccer"),
    },
  }),
  testWebhook: async () => ({
    path: `/api/v1/activities/${scene.ids.activity}/webhooks/${scene.ids.webhook}/test/`,
    by: scene.owner,
  }),
  resendDelivery: async () => ({
    path: `/api/v1/activities/${scene.ids.activity}/webhooks/${scene.ids.webhook}/deliveries/${scene.ids.delivery}/resend/`,
    by: scene.owner,
  }),
  bulkLoad: async () => ({
    path: `/api/v1/devices/${scene.device.id}/bulk-load/`,
    by: scene.owner,
    json: {
      asi_b64: Buffer.from(await walk(scene.device.serial_number, new Date().toISOString(), 1)).toString(
        "base64",
      ),
    },
  }),
};

const permission = {
  start_time: "2020-01-01T00:00:00Z",
  expiration_time: "2999-01-01T00:00:00Z",
  permission: "READ",
};

describe("a repeated request", () => {
  it.each(Object.keys(requests))("gets the bytes of the first response: %s", async (name) => {
    const { path, by, json } = await (requests[name] ?? expect.fail)();
    const key = randomUUID();
    const [first, meanwhile] = await Promise.all([post(path, by, json, key), post(path, by, json, key)]);
    expect(first.status).toBeLessThan(300);
    expect(meanwhile).toEqual(first);
    // A response to a request without a key has the same headers.
    expect(first.headers).toContainEqual([
      "content-type",
      first.status === 204 ? null : "application/json; charset=utf-8",
    ]);
    const later = await startService();
    later.clock.advance(60_000);
    expect(await post(path, by, json, key, later)).toEqual(first);
    const [row] = await s.store.database.queries
      .select()
      .from(idempotencyKeys)
      .where(eq(idempotencyKeys.key, key));
    expect([row?.status, Buffer.from(row?.body ?? []).toString()]).toEqual([first.status, first.body]);
  });
});

describe("a key", () => {
  it("belongs to a path, query and body, and is refused for others", async () => {
    const { path, by, json } = await (requests.createActivity ?? expect.fail)();
    const key = randomUUID();
    const first = await post(`${path}?a=1`, by, json, key);
    expect(first.status).toBe(201);
    for (const [otherPath, otherJson] of [
      [`${path}?a=2`, json],
      [path, json],
      [`${path}?a=1`, { ...(json as object), name: "Another" }],
    ] as const) {
      const other = await post(otherPath, by, otherJson, key);
      expect([other.status, Object.keys(JSON.parse(other.body))]).toEqual([400, ["message"]]);
    }
    expect(await post(`${path}?a=1`, by, json, key)).toEqual(first);
  });

  it("is ignored if the body contains a password, because a stored hash would allow guesses", async () => {
    const athlete = await s.athlete();
    const key = randomUUID();
    const stored = () => s.store.database.queries.$count(idempotencyKeys, eq(idempotencyKeys.key, key));
    const password = "another long passphrase";
    const path = `/api/v1/athletes/${athlete.id}/`;
    expect((await post(`${path}change-password/`, athlete, { password }, key)).status).toBe(204);
    expect(await stored()).toBe(0);
    const by = await managingManager();
    const managed = await post("/api/v1/athletes/create-managed/", by, { managed_by: by.id }, randomUUID());
    const erase = `/api/v1/athletes/${JSON.parse(managed.body).id}/erase/`;
    expect((await post(erase, by, { password: by.password }, key)).status).toBe(200);
    expect(await stored()).toBe(0);
  });

  it("remains unused after a refusal, which is not stored", async () => {
    const { path, by, json } = await (requests.createActivity ?? expect.fail)();
    const key = randomUUID();
    expect((await post(path, by, { ...(json as object), owner: scene.anotherManager.id }, key)).status).toBe(
      403,
    );
    expect((await post(path, by, {}, key)).status).toBe(400);
    const rows = await s.store.database.queries
      .select()
      .from(idempotencyKeys)
      .where(eq(idempotencyKeys.key, key));
    expect(rows).toEqual([]);
    expect((await post(path, by, json, key)).status).toBe(201);
  });
});
