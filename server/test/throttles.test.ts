/** Tests that the limits resist attempts to bypass them and do not affect others. */
import { randomBytes, randomUUID } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { readConfig } from "../src/config/config.js";
import { mailResetLink } from "../src/domain/accounts/password-reset.js";
import { transact } from "../src/domain/change/change.js";
import { decryptSecret } from "../src/domain/secrets/secrets.js";
import { currentCaller } from "../src/fairness/callers.js";
import { FairQueue } from "../src/fairness/fair-queue.js";
import { applyRetention } from "../src/jobs/retention.js";
import { accounts, jobs } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { hashCount } from "./quick-argon2.js";
import { service, startService, TestService } from "./service.js";

const statusesOf = async (answers: readonly Promise<{ status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status);
const count = (statuses: readonly number[], status: number) =>
  statuses.filter((one) => one === status).length;

/** Sends a request as a proxy that forwards the address of its client. */
const askFor = (s: TestService, client: string, path = "/api/v1/account/") =>
  s.get(path, undefined, { "X-Forwarded-For": client });

describe("passwords", () => {
  it("are counted before they are checked: of 150 concurrent passwords, at most 20 are checked", async () => {
    const s = await startService({ throttleFailedPasswords: 20 });
    const person = await s.manager();
    const guess = (password: string) =>
      s.token({ grant_type: "password", username: person.username, password });
    const statuses = await statusesOf(Array.from({ length: 150 }, (_, index) => guess(`wrong ${index}`)));
    expect([count(statuses, 400), count(statuses, 429)]).toEqual([20, 130]);
    expect((await guess(person.password)).status).toBe(429);
  });

  it("do not count if they are correct, even in many concurrent requests", async () => {
    const s = await startService({ throttleFailedPasswords: 5 });
    const { username, password } = await s.manager();
    const logIn = () => s.token({ grant_type: "password", username, password });
    expect(count(await statusesOf(Array.from({ length: 40 }, logIn)), 200)).toBe(40);
  });

  it("can be set a limited number of times per hour by one user; refused changes do not count", async () => {
    const s = await startService({ throttlePasswordChangesPerHour: 2 });
    const person = await s.manager();
    const path = `/api/v1/managers/${person.id}/`;
    const change = (json: object, headers: Record<string, string> = {}) =>
      s.send("PATCH", path, { token: person.token, json, headers });
    const taken = { username: (await s.manager()).username, password: "another password" };
    for (let times = 0; times < 5; times++) {
      expect((await change({ password: "another password" }, { "If-Match": '"old"' })).status).toBe(412);
      expect((await change(taken)).status).toBe(400);
    }
    const { password } = person;
    expect((await change({ password })).status).toBe(201);
    expect((await change({ password })).status).toBe(201);
    expect((await change({ password })).status).toBe(429);
    expect((await change({ email: "new@example.org" })).status).toBe(201);
  });

  it("and usernames can be changed a limited number of times per day: by the oldest account with an email address, and by all others together", async () => {
    const s = await startService({ throttleAccountMailsPerDay: 2 });
    const email = "victim@example.org";
    const victim = await s.manager({ email });
    const [one, two] = [await s.manager({ email }), await s.manager({ email })];
    const change = async ({ id, token }: { id: number; token: string }, json: object) =>
      (await s.send("PATCH", `/api/v1/managers/${id}/`, { token, json })).status;
    expect(await change(one, { username: "renamed 1" })).toBe(201);
    expect(await change(one, { first_name: "not counted" })).toBe(201);
    expect(await change(two, { username: victim.username })).toBe(400);
    expect(await change(two, { username: "renamed 2" })).toBe(201);
    expect(await change(one, { username: "renamed 3" })).toBe(429);
    expect(await change(two, { password: "another password" })).toBe(429);
    // Sending the current password is not a change.
    expect(await change(two, { password: two.password })).toBe(201);
    expect(await change(two, { email: "other@example.org", current_password: two.password })).toBe(429);
    // These changes do not count for the account that had the address first.
    expect(await change(victim, { username: "renamed 4" })).toBe(201);
    expect(await change(victim, { email: "new@example.org" })).toBe(201);
    const isNotice = sql`payload->>'template' LIKE '%-changed' AND payload->>'to' = ${email}`;
    expect(await s.store.database.queries.$count(jobs, isNotice)).toBe(4);
  });

  it("can be changed a limited number of times by all accounts that have not confirmed one address, in any spelling, even if they take turns at being the oldest", async () => {
    const s = await startService({ throttleAccountMailsPerDay: 2 });
    const change = async ({ id, token }: { id: number; token: string }, json: object) =>
      (await s.send("PATCH", `/api/v1/managers/${id}/`, { token, json })).status;
    const name = `stranger-${randomUUID()}`;
    const spellings = [`${name}+1`, `${name.toUpperCase()}+2`, `${name}+3`];
    const people: { id: number; token: string }[] = [];
    for (const local of spellings) people.push(await s.manager({ email: `${local}@example.org` }));
    const [one, two, three] = people as [{ id: number; token: string }, ...typeof people];
    const rename = (person: { id: number; token: string } | undefined) =>
      change(person as { id: number; token: string }, { username: `renamed ${randomUUID()}` });
    expect([await rename(two), await rename(two), await rename(three)]).toEqual([201, 201, 429]);
    expect([await rename(one), await change(one, { email: "away@example.org" })]).toEqual([201, 201]);
    // The second account is now the oldest, but its own limit and that of the oldest account are used up.
    expect([await rename(two), await rename(three)]).toEqual([429, 429]);
    const { queries } = s.store.database;
    await queries.delete(accounts).where(eq(accounts.id, two?.id ?? 0));
    expect(await rename(three)).toBe(429);
    const isNotice = sql`payload->>'template' LIKE '%-changed' AND lower(payload->>'to') LIKE ${`${name}+%`}`;
    expect(await queries.$count(jobs, isNotice)).toBe(4);
  });

  it("can be changed by an account that has confirmed its address with a link, whatever older and newer accounts with this address do", async () => {
    const s = await startService({ throttleAccountMailsPerDay: 3 });
    const email = "owner@example.org";
    const older = await s.manager({ email });
    const owner = await s.manager({ email });
    const change = async ({ id, token }: { id: number; token: string }, json: object) =>
      (await s.send("PATCH", `/api/v1/managers/${id}/`, { token, json })).status;
    const useUp = async () => {
      const newer = await s.manager({ email });
      for (const one of [older, newer])
        for (let times = 0; times < 4; times++) await change(one, { username: `renamed ${randomUUID()}` });
    };
    await useUp();
    expect(await change(owner, { username: `owner ${randomUUID()}` })).toBe(429);
    const confirm = async () => {
      const { queries } = s.store.database;
      const [account] = await queries.select().from(accounts).where(eq(accounts.id, owner.id));
      if (account === undefined) throw new Error("No account");
      await transact(s.ctx, "test", (unit) => mailResetLink(s.ctx, unit, account, "http://localhost"));
      const isLink = and(eq(jobs.chargedTo, owner.id), sql`payload ? 'sealedToken'`);
      const [job] = await queries.select().from(jobs).where(isLink);
      const token = await decryptSecret(s.ctx, queries, String(job?.payload.sealedToken));
      const password = `new ${randomUUID()}`;
      expect((await s.post("/api/v1/account/reset-password/", { token, password })).status).toBe(204);
      return { id: owner.id, token: await s.logIn(account.username, password) };
    };
    const confirmed = await confirm();
    await useUp();
    expect(await change(confirmed, { username: `owner ${randomUUID()}` })).toBe(201);
    // The new address is not confirmed.
    expect(await change(confirmed, { email: "stranger@example.org" })).toBe(201);
    const [{ emailConfirmed } = {}] = await s.store.database.queries
      .select()
      .from(accounts)
      .where(eq(accounts.id, owner.id));
    expect(emailConfirmed).toBe(false);
  });

  it.each([
    ["managers", "manager"],
    ["athletes", "athlete"],
  ] as const)("cause no password hash in a refused change of %s", async (path, kind) => {
    const s = await service();
    const [person, another] = [await s[kind](), await s[kind]()];
    const change = async (ifMatch: string, more: object = {}) => {
      const { status } = await s.send("PATCH", `/api/v1/${path}/${person.id}/`, {
        token: person.token,
        json: { password: "another password", ...more },
        headers: { "If-Match": ifMatch },
      });
      return status;
    };
    const before = hashCount();
    expect(await change('"old"')).toBe(412);
    expect(await change("*", { username: another.username })).toBe(400);
    expect(hashCount()).toBe(before);
    expect(await change("*")).toBe(201);
    expect(hashCount()).toBeGreaterThan(before);
  });
});

describe("invalid tokens", () => {
  it("are refused without a query if their address has no requests left, while signed-in users of the address can continue", async () => {
    // Use a separate database, because services on one PostgreSQL database share its counters.
    const s = await TestService.start(await newStore(), { throttleAddressPerMinute: 5 });
    const person = await s.manager();
    expect((await s.get("/api/v1/account/", person.token)).status).toBe(200);
    const garbage = () => s.get("/api/v1/account/", randomBytes(32).toString("base64url"));
    const statuses: number[] = [];
    for (let times = 0; times < 12; times++) statuses.push((await garbage()).status);
    expect(count(statuses, 403)).toBeLessThanOrEqual(5);
    expect(statuses.at(-1)).toBe(429);
    const { pool } = s.store.database;
    let queries = 0;
    const { query } = pool;
    pool.query = ((...args: Parameters<typeof query>) => {
      // Queries of the service itself, such as VACUUM, do not count.
      if (currentCaller().group.startsWith("address ")) queries += 1;
      return query.apply(pool, args);
    }) as typeof query;
    try {
      await s.get("/api/v1/account/", person.token);
      expect(queries).toBeGreaterThan(0);
      queries = 0;
      expect((await garbage()).status).toBe(429);
      expect(queries).toBe(0);
    } finally {
      pool.query = query;
    }
    expect((await s.get("/api/v1/account/", person.token)).status).toBe(200);
  });
});

describe("the client's address", () => {
  it("is the address that a trusted proxy names", async () => {
    const { trustProxy } = readConfig({ TRUST_PROXY: "127.0.0.1" });
    const s = await startService({ throttleAddressPerMinute: 2, trustProxy });
    const of = (client: string) => statusesOf([1, 2, 3].map(() => askFor(s, client)));
    expect(count(await of("192.0.2.1"), 429)).toBe(1);
    expect(count(await of("192.0.2.2"), 429)).toBe(1);
  });

  it("is not taken from any other sender", async () => {
    for (const trustProxy of [[], ["192.0.2.200"]]) {
      const s = await startService({ throttleAddressPerMinute: 2, trustProxy });
      const statuses = await statusesOf([1, 2, 3, 4].map((last) => askFor(s, `198.51.100.${last}`)));
      expect(count(statuses, 429)).toBeGreaterThanOrEqual(2);
      await s.stop();
    }
  });

  it("is the same for all addresses of an IPv6 subscriber", async () => {
    const s = await startService({ throttleAddressPerMinute: 2, trustProxy: ["127.0.0.1"] });
    // No other test file uses these addresses, because services on PostgreSQL share counters.
    const one = await statusesOf([1, 2, 3, 4].map((last) => askFor(s, `2001:db8:17:8::${last}`)));
    expect(count(one, 429)).toBe(2);
    expect((await askFor(s, "2001:db8:17:109::1")).status).toBe(403);
  });

  it("is the same for all passwords that an IPv6 subscriber tries, in any order", async () => {
    const s = await startService({ throttleFailedPasswords: 3, trustProxy: ["127.0.0.1"] });
    const { username } = await s.manager();
    const { clientId: client_id, clientSecret: client_secret } = await s.client();
    const guess = async (address: string) => {
      const { status } = await s.send("POST", "/oauth2/token/", {
        form: { client_id, client_secret, grant_type: "password", username, password: "wrong" },
        headers: { "X-Forwarded-For": address },
      });
      return status;
    };
    const turns = vi.spyOn(FairQueue.prototype, "run");
    try {
      const statuses: number[] = [];
      for (const last of [1, 2, 3, 4]) statuses.push(await guess(`2001:db8:18:${last}::1`));
      expect(statuses).toEqual([400, 400, 400, 429]);
      expect(await guess("2001:db8:18:109::1")).toBe(400);
      const addresses = turns.mock.calls.flatMap(([caller]) => caller.match(/2001:db8:18:\S+/g) ?? []);
      expect([...new Set(addresses)]).toEqual(["2001:db8:18::/56", "2001:db8:18:100::/56"]);
    } finally {
      turns.mockRestore();
    }
  });
});

describe("a throttled request", () => {
  it("gets a delayed response, which limits the processor time for a client that repeats it immediately", async () => {
    const s = await startService({ throttleAddressPerMinute: 1, trustProxy: ["127.0.0.1"] });
    // Use a separate address, because on PostgreSQL, the minute of another test could end during this test.
    const ask = () => askFor(s, "198.51.100.177");
    await ask();
    const startMs = performance.now();
    for (let times = 0; times < 3; times++) expect((await ask()).status).toBe(429);
    expect(performance.now() - startMs).toBeGreaterThan(290);
  });
});

describe("registrations", () => {
  it("store a limited number of bytes of pictures per address", async () => {
    // Use a separate database, because other tests also register from this address.
    const s = await TestService.start(await newStore(), { throttleRegistrationBytesPerHour: 100_000 });
    const picture = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), randomBytes(40_000)]);
    const register = (profile_picture?: string) => {
      const username = `athlete-${randomBytes(6).toString("hex")}`;
      const athlete_profile = profile_picture === undefined ? {} : { profile_picture };
      return s.post("/api/v1/athletes/", { username, email: "a@example.org", athlete_profile });
    };
    expect((await register(picture.toString("base64"))).status).toBe(201);
    const refused = await register(picture.toString("base64"));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(1000);
    expect((await register()).status).toBe(201);
    // The default athlete of a manager also has a picture.
    const manager = await s.post("/api/v1/managers/?create_default_athlete=true", {
      username: `manager-${randomBytes(6).toString("hex")}`,
      email: "a@example.org",
      athlete_profile: { profile_picture: picture.toString("base64") },
    });
    expect(manager.status).toBe(429);
  });
});

describe("registration emails", () => {
  it("are limited to a few per day for one recipient, regardless of the sender and the spelling of the address", async () => {
    const s = await TestService.start(await newStore(), {
      throttleRegistrationMailsPerDay: 3,
      trustProxy: ["127.0.0.1"],
    });
    const mailed = () => s.store.database.queries.$count(jobs, eq(jobs.kind, "mail"));
    const register = async (kind: string, email: string, last: number, password?: string) => {
      const username = `${kind}-${randomBytes(6).toString("hex")}`;
      const { status } = await s.send("POST", `/api/v1/${kind}/`, {
        json: { username, email, password },
        headers: { "X-Forwarded-For": `192.0.2.${last}` },
      });
      return status;
    };
    expect(await register("managers", "victim@example.org", 1)).toBe(201);
    expect(await register("athletes", "Victim+a@Example.org", 2, "a long passphrase")).toBe(201);
    expect(await register("managers", "victim+b@example.org", 3, "a long passphrase")).toBe(201);
    expect(await mailed()).toBe(3);
    expect(await register("managers", "victim@example.org", 4, "a long passphrase")).toBe(201);
    expect(await register("athletes", "victim+c@example.org", 5)).toBe(429);
    expect(await mailed()).toBe(3);
    expect(await register("managers", "another@example.org", 6)).toBe(201);
    expect(await mailed()).toBe(4);
  });
});

describe("counters that have expired or are too far in the future", () => {
  it("are removed", async () => {
    const store = await newStore();
    const { queries } = store.database;
    const now = Date.now();
    await queries.execute(sql`INSERT INTO throttle_counters (key, points, expire)
      VALUES ('failedPassword:invented', 3, ${now - 1000}), ('failedPassword:at work', 3, ${now + 900_000}),
        ('registrationMail:at work', 3, ${now + 86_000_000}), ('registrationMail:days ahead', 3, ${now + 172_800_000}),
        ('failedPassword:the clock was a day ahead', 3, ${now + 86_400_000})`);
    await applyRetention((await TestService.start(store)).ctx);
    const { rows } = await queries.execute(sql`SELECT key FROM throttle_counters ORDER BY key`);
    expect(rows).toEqual([{ key: "failedPassword:at work" }, { key: "registrationMail:at work" }]);
  });
});
