/** Tests the rotation of the keys that encrypt secrets, with interruptions, while the service runs. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { commands } from "../src/operator/commands.js";
import { systemClock } from "../src/process/own-context.js";
import { startService as startProcess } from "../src/process/service.js";
import type { Queries } from "../src/store/connection/database.js";
import { nextServerKey, replaceServerKey, serverKeyOf } from "../src/store/connection/server-key.js";
import { newStore } from "./databases.js";
import { type Receiver, startReceiver } from "./receiver.js";
import { newScratchFolder } from "./scratch.js";
import { type TestAccount, TestService } from "./service.js";
import { newActivity } from "./team.js";
import { testConfig } from "./test-config.js";

const HOUR_MS = 3_600_000;

/** Starts a service whose server key is in a file in its data folder, as without SERVER_KEY. */
async function start(): Promise<TestService> {
  const store = await newStore();
  const dataDir = newScratchFolder();
  store.serverKey = serverKeyOf(dataDir);
  return TestService.start(store, { dataDir, webhookAllowPrivate: true });
}

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

/** Creates an activity with a webhook that has this secret. @returns the path of the webhook */
async function hook(s: TestService, owner: TestAccount, secret_token: string): Promise<string> {
  const activity = await newActivity(s, owner);
  const { status, body } = await s.post(
    `/api/v1/activities/${activity}/webhooks/`,
    { webhook_url: receiver.url, secret_token, activity_events: true, timeframes_events: true },
    owner.token,
  );
  if (status !== 200) throw new Error(`No webhook: ${status}`);
  return `/api/v1/activities/${activity}/webhooks/${body.id}/`;
}

/** Returns the number of secrets by the number of their key; `none` means the server key itself. */
async function keysInUse({ queries }: { queries: Queries }): Promise<Record<string, number>> {
  const { rows } = await queries.execute<{ key: string; count: number }>(sql`
    SELECT coalesce(substring(secret FROM '^(k\\d+):'), 'none') AS key, count(*)::int AS count FROM (
      SELECT secret_token AS secret FROM webhooks UNION ALL SELECT secret_token FROM webhook_deliveries
      UNION ALL SELECT secret_token FROM previous_webhook_secrets
      UNION ALL SELECT payload->>'sealedPassword' FROM jobs WHERE payload->>'sealedPassword' IS NOT NULL
      UNION ALL SELECT jsonb_path_query(payload, '$.webhooks[*].secretToken')#>>'{}' FROM jobs
    ) AS secrets GROUP BY 1 ORDER BY 1`);
  return Object.fromEntries(rows.map(({ key, count }) => [key, count]));
}

/** Returns the masked secret from the API; it can be read only if the secret can be decrypted. */
const masked = async (s: TestService, path: string, token: string) =>
  (await s.get(path, token)).body.secret_token;

describe("key rotate", () => {
  it("encrypts every secret with a new key, and receivers get the same secrets as before", async () => {
    const s = await start();
    const ann = await s.manager();
    const path = await hook(s, ann, "secret one");
    // There are a queued email with a generated password, and a queued call.
    await s.post("/api/v1/managers/", { username: `g-${ann.username}`, email: "g@example.org" });
    expect((await s.send("POST", `${path}test/`, { token: ann.token })).status).toBe(200);
    const account = { url: receiver.url, events: ["job.finished"] };
    const { body } = await s.post("/api/v2/webhooks/", account, ann.token);
    await s.post(`/api/v2/webhooks/${body.id}/secret/`, undefined, ann.token);
    expect(await keysInUse(s.store.database)).toEqual({ none: 5 });
    const old = readFileSync(join(s.config.dataDir, "server.key"), "utf8");

    expect(await commands["key rotate"](s.ctx, {})).toMatchObject({ key: 1, encrypted: 5 });
    expect(await keysInUse(s.store.database)).toEqual({ k1: 5 });
    expect(await masked(s, path, ann.token)).toBe("se********");
    receiver.received.length = 0;
    await s.runJobs();
    expect(receiver.received.map(({ headers }) => headers["x-asi-api-token"])).toEqual(["secret one"]);
    expect(readFileSync(join(s.config.dataDir, "server.key"), "utf8")).not.toBe(old);
    expect(readFileSync(join(s.config.dataDir, "server.key.previous"), "utf8")).toBe(old);
    expect(existsSync(join(s.config.dataDir, "server.key.next"))).toBe(false);

    await hook(s, ann, "secret two");
    await s.store.database.queries.execute(sql`
      INSERT INTO webhooks (activity_id, webhook_url, secret_token, activity_events, timeframes_events, created_at)
      SELECT activity_id, webhook_url, 'damaged', false, false, now() FROM webhooks WHERE events IS NULL LIMIT 1`);
    const second = await commands["key rotate"](s.ctx, {});
    expect(second).toMatchObject({ key: 2, unreadable: 1 });
    expect(Object.keys(await keysInUse(s.store.database))).toEqual(["k2", "none"]);
    expect(await masked(s, path, ann.token)).toBe("se********");
    const { rows } = await s.store.database.queries.execute<{ entity_id: number }>(
      sql`SELECT entity_id FROM audit_log WHERE operation = 'key rotate' ORDER BY id`,
    );
    expect(rows.map(({ entity_id }) => Number(entity_id))).toEqual([1, 2]);
  });

  it("keeps the old key for an hour, because other processes may still use it, and then removes it", async () => {
    const s = await start();
    const ann = await s.manager();
    const path = await hook(s, ann, "secret");
    const { queries } = s.store.database;
    const { rows } = await queries.execute<{ secret_token: string }>(sql`SELECT secret_token FROM webhooks`);
    await commands["key rotate"](s.ctx, {});
    // A process that has read the old key earlier writes this secret.
    await queries.execute(sql`UPDATE webhooks SET secret_token = ${rows[0]?.secret_token}`);
    expect(await masked(s, path, ann.token)).toBe("se****");
    await applyRetention(s.ctx);
    expect(await keysInUse(s.store.database)).toEqual({ k1: 1 });
    const keys = async () =>
      (
        await queries.execute<{ key_id: number }>(sql`SELECT key_id FROM encryption_keys ORDER BY 1`)
      ).rows.map(({ key_id }) => Number(key_id));
    expect(await keys()).toEqual([0, 1]);
    s.clock.advance(HOUR_MS);
    await applyRetention(s.ctx);
    expect(await keys()).toEqual([1]);
    expect(await masked(s, path, ann.token)).toBe("se****");
  });

  it("continues after any interruption, and the service can read all secrets at any time", async () => {
    const s = await start();
    const ann = await s.manager();
    const paths = [await hook(s, ann, "secret 1"), await hook(s, ann, "secret 2")];
    const { database } = s.store;
    let isDone = false;
    for (let statements = 1; !isDone; statements++) {
      let left = statements;
      const breaking = new Proxy(database.queries, {
        get(target, name, receiver) {
          if (["select", "execute", "delete", "transaction"].includes(String(name)) && --left < 0) {
            throw new Error("interrupted");
          }
          const value = Reflect.get(target, name, receiver);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
      isDone = await commands["key rotate"]({ ...s.ctx, queries: breaking }, {}).then(
        () => true,
        (error: Error) => {
          expect(error.message).toBe("interrupted");
          return false;
        },
      );
      for (const path of paths) expect(await masked(s, path, ann.token)).toBe("se******");
      // After a restart, the process has this key.
      s.store.serverKey.set(serverKeyOf(s.config.dataDir));
      expect(statements).toBeLessThan(100);
    }
    expect(Object.keys(await keysInUse(database))).toHaveLength(1);
    const { rows } = await database.queries.execute<{ ids: number }>(
      sql`SELECT count(DISTINCT server_key_id)::int AS ids FROM encryption_keys`,
    );
    expect(rows[0]?.ids).toBe(1);
  });

  it("continues with the next server key after a crash", async () => {
    const dataDir = newScratchFolder();
    serverKeyOf(dataDir);
    const next = await nextServerKey(dataDir);
    expect(await nextServerKey(dataDir)).toEqual(next);
  });

  it("keeps the previous server key, even with two concurrent rotations", async () => {
    const s = await start();
    const ann = await s.manager();
    const path = await hook(s, ann, "secret");
    const file = (name: string) => readFileSync(join(s.config.dataDir, name), "utf8");
    const old = file("server.key");
    // Two processes, each with its own copy of the server key.
    const contexts = [0, 1].map(() => ({ ...s.ctx, serverKey: new Uint8Array(s.store.serverKey) }));
    const outcomes = await Promise.allSettled(contexts.map((ctx) => commands["key rotate"](ctx, {})));
    // A rejected rotation reports that the other one ran at the same time or had finished before it read the keys.
    for (const outcome of outcomes)
      if (outcome.status === "rejected")
        expect(`${outcome.reason}`).toMatch(/Run the command again\.|This process still has the server key/);
    expect(outcomes.map(({ status }) => status)).toContain("fulfilled");
    const { rows } = await s.store.database.queries.execute(
      sql`SELECT DISTINCT key_id FROM encryption_keys WHERE key_id > 0`,
    );
    if (rows.length === 1) expect(file("server.key.previous")).toBe(old);
    expect(file("server.key.previous")).not.toBe(file("server.key"));
    expect(await masked(s, path, ann.token)).toBe("se****");
  });

  it("replaces the server key only with the next one, and only once", async () => {
    const dataDir = newScratchFolder();
    serverKeyOf(dataDir);
    const file = (name: string) => readFileSync(join(dataDir, name), "utf8");
    const old = file("server.key");
    await expect(replaceServerKey(dataDir, randomBytes(32))).rejects.toThrow("Run the command again.");
    expect(existsSync(join(dataDir, "server.key.previous"))).toBe(false);
    const next = await nextServerKey(dataDir);
    await replaceServerKey(dataDir, next);
    await replaceServerKey(dataDir, next);
    expect([file("server.key"), file("server.key.previous")]).toEqual([
      Buffer.from(next).toString("base64"),
      old,
    ]);
  });

  it("requires the new key in a file if SERVER_KEY is set, and otherwise refuses a file", async () => {
    const s = await start();
    const file = join(newScratchFolder(), "key");
    await expect(commands["key rotate"](s.ctx, { newKey: file })).rejects.toThrow("Omit --new-key");
    const ctx = { ...s.ctx, config: { ...s.config, serverKey: new Uint8Array(s.store.serverKey) } };
    await expect(commands["key rotate"](ctx, {})).rejects.toThrow("name it with --new-key");
    await expect(commands["key rotate"](ctx, { newKey: file })).rejects.toThrow("cannot be read");
    writeFileSync(file, "too short");
    await expect(commands["key rotate"](ctx, { newKey: file })).rejects.toThrow("does not contain 32 bytes");
  });
});

describe("key finish", () => {
  /** Starts a service with SERVER_KEY, and creates contexts of processes with other server keys. */
  async function startWithKey() {
    const s = await start();
    const withKey = (key: Uint8Array) => ({
      ...s.ctx,
      serverKey: new Uint8Array(key),
      config: { ...s.config, serverKey: new Uint8Array(key) },
    });
    const rotate = async (from: typeof s.ctx, next: Uint8Array) => {
      const file = join(newScratchFolder(), "key");
      writeFileSync(file, Buffer.from(next).toString("base64"));
      return commands["key rotate"](from, { newKey: file });
    };
    return { s, rotate, withKey, first: withKey(s.store.serverKey) };
  }

  it("keeps the newest server key, and is refused if the old one is still set", async () => {
    const { s, first, rotate, withKey } = await startWithKey();
    const ann = await s.manager();
    const path = await hook(s, ann, "secret");
    const second = withKey(randomBytes(32));
    const { server_key } = await rotate(first, second.serverKey);
    await expect(commands["key finish"](first, {})).rejects.toThrow(
      new RegExp(`still has the server key [0-9a-f]{16}; restart it with the new SERVER_KEY .${server_key}`),
    );
    expect(await masked(s, path, ann.token)).toBe("se****");
    expect(await commands["key finish"](second, {})).toEqual({ removed: 2 });
    s.store.serverKey.set(second.serverKey);
    expect(await masked(s, path, ann.token)).toBe("se****");
    expect(await commands["key finish"](second, {})).toEqual({ removed: 0 });
    const { rows } = await s.store.database.queries.execute(
      sql`SELECT after FROM audit_log WHERE operation = 'key finish'`,
    );
    expect(rows).toEqual([{ after: { serverKey: server_key, removed: 2 } }]);
  });

  it("is required before the next rotation, because some processes could not read the new key", async () => {
    const { s, first, rotate, withKey } = await startWithKey();
    const ann = await s.manager();
    const path = await hook(s, ann, "secret");
    const [second, third] = [withKey(randomBytes(32)), withKey(randomBytes(32))];
    await rotate(first, second.serverKey);
    for (const from of [first, second])
      await expect(rotate(from, third.serverKey)).rejects.toThrow("Run asi-server key finish first");
    // Repeating the rotation changes nothing.
    expect(await rotate(first, second.serverKey)).toMatchObject({ key: 1, encrypted: 0 });
    expect(await masked(s, path, ann.token)).toBe("se****");
    await commands["key finish"](second, {});
    expect(await rotate(second, third.serverKey)).toMatchObject({ key: 2, encrypted: 1 });
  });

  it("ends a rotation, which continues until then; after it, a new rotation needs another key", async () => {
    const { first, rotate, withKey } = await startWithKey();
    const inUse = "This is the key in use. Choose another file.";
    await expect(rotate(first, first.serverKey)).rejects.toThrow(inUse);
    const second = withKey(randomBytes(32));
    for (const from of [first, first, second])
      expect(await rotate(from, second.serverKey)).toMatchObject({ key: 1 });
    await commands["key finish"](second, {});
    await expect(rotate(second, second.serverKey)).rejects.toThrow(inUse);
  });

  it("keeps the old server key if the operator names it because the new one is lost", async () => {
    const { s, first, rotate } = await startWithKey();
    const ann = await s.manager();
    const path = await hook(s, ann, "secret");
    const { server_key } = await rotate(first, randomBytes(32));
    await expect(commands["key finish"](first, { serverKey: `${server_key}` })).rejects.toThrow(
      `cannot keep ${server_key}`,
    );
    const { message } = await commands["key finish"](first, {}).then(
      () => new Error("no refusal"),
      (error: Error) => error,
    );
    const [, own] = /--server-key (\S+) keeps/.exec(message) ?? [];
    expect(await commands["key finish"](first, { serverKey: own ?? "" })).toEqual({ removed: 2 });
    expect(await masked(s, path, ann.token)).toBe("se****");
  });
});

describe("a lost server key", () => {
  it("is reported at the start with instructions, and key reset makes the service usable again", async () => {
    const s = await start();
    const ann = await s.manager();
    const path = await hook(s, ann, "secret");
    await commands["key rotate"](s.ctx, {});
    await s.stop();
    rmSync(join(s.config.dataDir, "server.key"));
    const store = { ...s.store, serverKey: serverKeyOf(s.config.dataDir) };
    await expect(startProcess(testConfig(), store, "api", systemClock)).rejects.toThrow(
      /are encrypted with the server key [0-9a-f]{16}, but this process has [0-9a-f]{16}.*asi-server key reset/,
    );
    const lost = { ...s.ctx, serverKey: store.serverKey };
    expect(await commands["key reset"](lost, {})).toMatchObject({ reset: false, webhooks_disabled: 1 });
    expect(await commands["key reset"](lost, { yes: true })).toMatchObject({ reset: true });
    const again = await TestService.start(store, { dataDir: s.config.dataDir, webhookAllowPrivate: true });
    expect((await again.get(path, ann.token)).status).toBe(200);
    const changed = await again.send("PATCH", path, { token: ann.token, json: { secret_token: "new one" } });
    expect(changed.body.secret_token).toBe("ne*****");
  });
});
