/** Tests that requests for a password reset link, which anyone may send, reveal nothing to strangers and are useless to them. */
import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { requestPasswordReset } from "../src/domain/accounts/password-reset.js";
import { commands } from "../src/operator/commands.js";
import { queriesOf } from "../src/store/connection/database.js";
import { accounts, jobs, passwordResets } from "../src/store/schema.js";
import { newPassword, withPasswordResets } from "./password-reset-scene.js";
import { managingManager } from "./people.js";
import { startService, type TestAccount } from "./service.js";

const it = withPasswordResets();

describe("a request for a link", () => {
  it("gets the same response at the same cost, whether or not the account exists or can log in", async ({
    passwords: { s, ask, linksTo },
  }) => {
    const manager = await managingManager();
    const { body: managed } = await s.post(
      "/api/v1/athletes/create-managed/",
      { managed_by: manager.id },
      manager.token,
    );
    const disabled = await s.manager();
    await s.store.database.queries
      .update(accounts)
      .set({ disabledAt: new Date() })
      .where(eq(accounts.id, disabled.id));
    const seen: unknown[] = [];
    for (const username of [manager.username, "nobody at all", managed.username, disabled.username]) {
      const { status, headers, body } = await ask(username);
      const told = [...headers].filter(([name]) => !/^(date|x-request-id|ratelimit)$/.test(name));
      const sent: string[] = [];
      const queries = queriesOf(s.store.database.pool, { logQuery: (text) => void sent.push(text) });
      await requestPasswordReset({ ...s.ctx, queries }, `${username} `, "http://page.example.org");
      seen.push({ status, body, told, sent });
    }
    expect(seen).toEqual(seen.map(() => seen[0]));
    for (const { id } of [managed, disabled]) expect(await linksTo({ id })).toEqual([]);
    expect(await linksTo(manager)).toHaveLength(1);
  });

  it("is counted by address and by username from one address, so strangers cannot use up the requests of a user", async ({
    passwords: { s },
  }) => {
    const at = await startService({
      throttlePasswordResetsOfUserPerHour: 3,
      throttlePasswordResetsPerHour: 6,
      trustProxy: ["127.0.0.1"],
    });
    const person = await s.manager();
    const from = async (address: string, username: string) => {
      const { status } = await at.send("POST", "/api/v1/account/request-password-reset/", {
        json: { username },
        headers: { "X-Forwarded-For": address },
      });
      return status;
    };
    for (const [index, username] of [person.username, `nobody-${randomUUID()}`].entries()) {
      // Other tests send from other addresses.
      const address = `203.0.113.${index + 1}`;
      const statuses: number[] = [];
      for (let n = 0; n < 4; n++) statuses.push(await from(address, username));
      expect(statuses).toEqual([204, 204, 204, 429]);
      // This is another spelling of the same username.
      expect(await from(address, username.toUpperCase())).toBe(429);
      expect(await from("203.0.113.9", username)).toBe(204);
    }
    const many: number[] = [];
    for (let n = 0; n < 8; n++) many.push(await from("198.51.100.77", randomUUID()));
    expect(many).toEqual([204, 204, 204, 204, 204, 204, 429, 429]);
  });

  it("sends an email regardless of earlier requests by strangers, who cannot fill the mailbox", async ({
    passwords: { linksTo, reset },
  }) => {
    const at = await startService({ trustProxy: ["127.0.0.1"] });
    at.clock.stopAt(Date.now());
    const person = await at.manager();
    let address = 0;
    const askFromAnywhere = async () => {
      address += 1;
      const { status } = await at.send("POST", "/api/v1/account/request-password-reset/", {
        json: { username: person.username },
        headers: { "X-Forwarded-For": `192.0.2.${address}` },
      });
      expect(status).toBe(204);
      return (await linksTo(person, at)).length;
    };
    const mailed: number[] = [];
    for (let times = 0; times < 7; times++) mailed.push(await askFromAnywhere());
    expect(mailed).toEqual([1, 2, 3, 4, 5, 5, 5]);
    // This is the interval at a rate of 5 per 60 minutes.
    at.clock.advance(12 * 60_000 - 1);
    expect(await askFromAnywhere()).toBe(5);
    at.clock.advance(1);
    expect([await askFromAnywhere(), await askFromAnywhere()]).toEqual([6, 6]);
    const [{ token = "" } = {}] = await linksTo(person, at);
    expect((await reset(token, newPassword(), at)).status).toBe(204);
    // No earlier requests are waiting.
    expect(await askFromAnywhere()).toBe(7);
  });

  it("shares a limit of emails with all accounts that have not confirmed the same mailbox, and waits for its turn, but not behind many requests from one address", async ({
    passwords: { linksTo, linked, reset },
  }) => {
    const at = await startService({ throttlePasswordResetsOfUserPerHour: 3, trustProxy: ["127.0.0.1"] });
    at.clock.stopAt(Date.now());
    const name = randomUUID();
    const strangers: TestAccount[] = [];
    for (let n = 0; n < 6; n++) strangers.push(await at.manager({ email: `${name}+${n}@example.org` }));
    const user = await at.manager({ email: `${name}@example.org` });
    const send = async ({ username }: TestAccount, address: string) => {
      const headers = { "X-Forwarded-For": address };
      const json = { username };
      const { status } = await at.send("POST", "/api/v1/account/request-password-reset/", { json, headers });
      expect(status).toBe(204);
    };
    const ask = async (person: TestAccount, address: string) => {
      await send(person, address);
      await at.runJobs();
    };
    const mailed = async (people: readonly TestAccount[]) => {
      const counts: number[] = [];
      for (const person of people) counts.push((await linksTo(person, at)).length);
      return counts;
    };
    for (const stranger of strangers) await ask(stranger, "192.0.2.1");
    // Jobs of both addresses wait at the same time.
    await send(user, "192.0.2.1");
    await ask(user, "198.51.100.1");
    const ofUser = eq(passwordResets.accountId, user.id);
    expect(await at.store.database.queries.$count(passwordResets, ofUser)).toBe(1);
    expect(await mailed([...strangers, user])).toEqual([1, 1, 1, 0, 0, 0, 0]);
    at.clock.advance(20 * 60_000 - 1);
    // The link of the user waits already.
    await ask(user, "198.51.100.2");
    expect(await mailed([...strangers, user])).toEqual([1, 1, 1, 0, 0, 0, 0]);
    at.clock.advance(1);
    expect(await mailed([...strangers, user])).toEqual([1, 1, 1, 1, 0, 0, 0]);
    for (const stranger of strangers) await ask(stranger, "192.0.2.1");
    at.clock.advance(20 * 60_000);
    expect(await mailed([...strangers, user])).toEqual([1, 1, 1, 1, 0, 0, 1]);
    const [{ token = "" } = {}] = await linksTo(user, at);
    expect((await reset(token, newPassword(), at)).status).toBe(204);
    // A used link has confirmed the address, so the account has its own limit.
    await linked(user, at);
    at.clock.advance(20 * 60_000);
    expect(await mailed([...strangers, user])).toEqual([1, 1, 1, 1, 1, 0, 2]);
  });

  it("counts for the mailbox even after the account has ended its links or has another address", async ({
    passwords: { linksTo, ask },
  }) => {
    const at = await startService({ throttlePasswordResetsOfUserPerHour: 2 });
    at.clock.stopAt(Date.now());
    const email = `${randomUUID()}@example.org`;
    const [one, two, user] = [
      await at.manager({ email }),
      await at.manager({ email }),
      await at.manager({ email }),
    ];
    for (const [{ id, token, username }, json] of [
      [one, { password: newPassword(), current_password: one.password }],
      [two, { email: `other-${email}`, current_password: two.password }],
    ] as const) {
      await ask(username, at);
      await at.runJobs();
      expect((await at.send("PATCH", `/api/v1/managers/${id}/`, { token, json })).status).toBe(201);
    }
    await ask(user.username, at);
    expect(await linksTo(user, at)).toEqual([]);
    at.clock.advance(30 * 60_000);
    expect(await linksTo(user, at)).toHaveLength(1);
  });

  it("shares one email with other requests that arrive before the email is sent", async ({
    passwords: { s, ask, linksTo },
  }) => {
    const person = await s.manager();
    await Promise.all([1, 2, 3, 4].map(() => ask(person.username)));
    expect(await linksTo(person)).toHaveLength(1);
  });

  it("is erased with its links when the account is deleted", async ({
    passwords: { s, linked, ask, mailsTo },
  }) => {
    const person = await s.manager();
    await linked(person);
    await ask(person.username.toUpperCase());
    await commands["account delete"](s.ctx, { username: person.username });
    const { queries } = s.store.database;
    expect(await queries.$count(passwordResets, eq(passwordResets.accountId, person.id))).toBe(0);
    expect(await queries.$count(jobs, sql`${jobs.payload}::text LIKE ${`%${person.username}%`}`)).toBe(0);
    expect(await mailsTo(person)).toEqual([]);
  });
});
