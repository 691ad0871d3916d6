/** Tests the replacement of a forgotten password with an emailed link that works once and for an hour. */
import { request } from "node:http";
import { and, eq, sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { commands } from "../src/operator/commands.js";
import { auditLog, passwordResets } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { startMailServer } from "./mail-server.js";
import { LINK, newPassword, readMail, withPasswordResets } from "./password-reset-scene.js";
import { hashCount } from "./quick-argon2.js";
import { startService, TestService } from "./service.js";

const it = withPasswordResets();

describe("a forgotten password", () => {
  it.for(["manager", "athlete"] as const)(
    "can be replaced with one link in an email to the %s; every session then ends, and an email confirms the change",
    async (role, { passwords: { s, ask, mailsTo, linksTo, isOpen, logsIn, reset } }) => {
      const person = await s[role]();
      const { username, password: old } = person;
      const refresh = (await s.token({ grant_type: "password", username, password: old })).body.refresh_token;
      const asked = await ask(person.username.toUpperCase());
      expect([asked.status, asked.body]).toEqual([204, ""]);
      const [mail] = (await mailsTo(person)).filter(({ subject }) => subject === "Set a new password");
      expect(mail?.to).toBe(`${person.username}@example.org`);
      expect(mail?.text).toContain(`Username: ${person.username}\n`);
      const [link] = await linksTo(person);
      expect(link?.page).toBe(s.service.url);
      // The request alone has no effect.
      expect([await isOpen(person.token), await logsIn(person, person.password)]).toEqual([true, true]);

      const password = newPassword();
      const done = await reset(link?.token ?? "", password);
      expect([done.status, done.body]).toEqual([204, ""]);
      expect([await logsIn(person, person.password), await logsIn(person, password)]).toEqual([false, true]);
      expect(await isOpen(person.token)).toBe(false);
      expect((await s.token({ grant_type: "refresh_token", refresh_token: refresh })).status).toBe(400);
      const told = (await mailsTo(person)).filter(({ subject }) => subject === "Your password was changed");
      expect(told).toHaveLength(1);
      expect(told[0]?.text).not.toContain(password);
    },
  );

  it("is recorded in the audit log with the account as actor, and no row contains a token or a password", async ({
    passwords: { s, linked, reset },
  }) => {
    const person = await s.manager();
    const token = await linked(person);
    const password = newPassword();
    await reset(token, password);
    const rows = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "account"), eq(auditLog.entityId, person.id)))
      .orderBy(auditLog.id);
    expect(rows.slice(-2)).toMatchObject([
      { operation: "requestPasswordReset", accountId: null, after: { passwordReset: "link mailed" } },
      { operation: "resetPassword", accountId: person.id, after: { passwordHash: "***" } },
    ]);
    const text = JSON.stringify(rows);
    expect([text.includes(token), text.includes(password)]).toEqual([false, false]);
  });

  it("can be replaced with a link to the page at BASE_URL, with its path, whatever host the client names", async ({
    passwords: { s, linksTo },
  }) => {
    const at = await startService({ baseUrl: "https://club.example.org/asi" });
    const person = await at.manager();
    for (const [index, service] of [at, s].entries()) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers = {
          Host: "evil.example.org",
          "X-Forwarded-Host": "evil.example.org",
          Forwarded: "host=evil.example.org",
          "Content-Type": "application/json",
        };
        const url = `${service.service.url}/api/v1/account/request-password-reset/`;
        request(url, { method: "POST", headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end(JSON.stringify({ username: person.username }));
      });
      expect(status).toBe(204);
      const pages = (await linksTo(person, service)).map(({ page }) => page);
      expect(pages).toEqual([["https://club.example.org/asi"], [s.service.url]][index]);
    }
  });

  it("can be replaced with a link that the mail server sends; an email that cannot be sent within the hour is dropped", async ({
    passwords: { ask, expired },
  }) => {
    const server = await startMailServer();
    // Emails of other tests are in another database.
    const store = await newStore();
    const without = await TestService.start(store);
    const person = await without.manager();
    await without.runJobs();
    const at = await TestService.start(store, { smtpUrl: server.url });
    await ask(person.username, at);
    await at.runJobs();
    expect(readMail(server.mails[0] ?? "").text).toMatch(LINK);
    server.refuses = true;
    await ask(person.username, at);
    await at.runJobs();
    // After these failures, the pause before the next attempt is longer than the rest of the hour.
    for (const minutes of [1, 2, 4, 8, 16]) {
      at.clock.advance(minutes * 60_000);
      await at.runJobs();
    }
    server.refuses = false;
    at.clock.advance(29 * 60_000);
    await at.runJobs();
    expect(server.mails).toHaveLength(1);
    expect(await expired(at)).toEqual([
      { details: { code: "expired", message: expect.any(String) }, payload: {}, failures: 7 },
    ]);
  });

  it("cannot be replaced by a request whose account is not looked up within the hour", async ({
    passwords: { ask, expired, linksTo },
  }) => {
    const at = await startService();
    const person = await at.manager();
    await ask(person.username, at);
    const before = (await expired()).length;
    at.clock.advance(3_600_000);
    expect(await linksTo(person, at)).toEqual([]);
    expect(await expired()).toHaveLength(before + 1);
  });
});

describe("the token of a link", () => {
  it("works once", async ({ passwords: { s, linked, reset, expectRefused, logsIn } }) => {
    const person = await s.manager();
    const token = await linked(person);
    const password = newPassword();
    expect((await reset(token, password)).status).toBe(204);
    await expectRefused(token);
    expect(await logsIn(person, password)).toBe(true);
  });

  it("works once, even if it is used many times concurrently", async ({
    passwords: { s, linked, reset, logsIn },
  }) => {
    const person = await s.manager();
    const token = await linked(person);
    const passwords = [1, 2, 3, 4, 5].map(newPassword);
    const statuses = await Promise.all(
      passwords.map(async (password) => (await reset(token, password)).status),
    );
    expect([...statuses].sort()).toEqual([204, 400, 400, 400, 400]);
    for (const [index, password] of passwords.entries()) {
      expect(await logsIn(person, password)).toBe(statuses[index] === 204);
    }
  });

  it("works for an hour, after which its row is removed", async ({
    passwords: { linked, reset, expectRefused },
  }) => {
    const at = await startService();
    const person = await at.manager();
    const [early, late] = [await linked(person, at), await linked(person, at)];
    at.clock.advance(59 * 60_000);
    const password = newPassword();
    const [used, unused] = [early, await linked(person, at)];
    expect((await reset(used, password, at)).status).toBe(204);
    await expectRefused(late, at);
    await expectRefused(unused, at);

    const token = await linked(person, at);
    at.clock.advance(60 * 60_000);
    await expectRefused(token, at);
    const rows = () =>
      at.store.database.queries.$count(passwordResets, eq(passwordResets.accountId, person.id));
    expect(await rows()).toBe(1);
    await applyRetention(at.ctx);
    expect(await rows()).toBe(0);
  });

  it("remains valid when another link is requested, and ends when one of the links is used", async ({
    passwords: { s, linked, reset, expectRefused },
  }) => {
    const person = await s.manager();
    const [first, second] = [await linked(person), await linked(person)];
    expect((await reset(first, newPassword())).status).toBe(204);
    await expectRefused(second);
    expect((await reset(await linked(person), newPassword())).status).toBe(204);
  });

  it("ends when the password or the email address changes, and when the operator ends the sessions", async ({
    passwords: { s, linked, expectRefused },
  }) => {
    const person = await s.manager();
    const path = `/api/v1/managers/${person.id}/`;
    const change = (json: object) => s.send("PATCH", path, { token: person.token, json });
    let token = await linked(person);
    expect((await change({ manager_profile: { first_name: "Ann" } })).status).toBe(201);
    expect((await change({ email: "moved@example.org" })).status).toBe(201);
    await expectRefused(token);
    token = await linked(person);
    expect((await change({ password: newPassword() })).status).toBe(201);
    await expectRefused(token);
    token = await linked(person);
    await commands["session revoke"](s.ctx, { username: person.username });
    await expectRefused(token);
  });

  it("is stored as a hash, is encrypted until it is emailed, and cannot be exchanged with other kinds of tokens", async ({
    passwords: { s, ask, linked, expectRefused, isOpen },
  }) => {
    const person = await s.manager();
    await ask(person.username);
    const stored = async () => {
      const { rows } = await s.store.database.queries.execute<{ text: string }>(sql`
        SELECT coalesce(string_agg(all_rows, ' '), '') AS text FROM (
          SELECT jobs::text AS all_rows FROM jobs UNION ALL SELECT password_resets::text FROM password_resets
        ) AS everything`);
      return rows[0]?.text ?? "";
    };
    const token = await linked(person);
    const [row] = await s.store.database.queries
      .select()
      .from(passwordResets)
      .where(eq(passwordResets.accountId, person.id));
    const hash = Buffer.from(row?.tokenHash ?? []);
    expect(hash).toHaveLength(32);
    const text = await stored();
    expect([text.includes(token), text.includes(Buffer.from(token).toString("hex"))]).toEqual([false, false]);
    const { username, password } = person;
    const { refresh_token } = (await s.token({ grant_type: "password", username, password })).body;
    for (const guess of [
      hash.toString("base64url"),
      hash.toString("hex"),
      person.token,
      refresh_token,
      token.slice(1),
      `${token} `,
      "x".repeat(43),
      "' OR 1=1 --",
    ]) {
      await expectRefused(guess);
    }
    expect(await isOpen(token)).toBe(false);
    expect((await s.token({ grant_type: "refresh_token", refresh_token: token })).status).toBe(400);
  });

  it("causes no password hash if it is wrong, and remains valid if the new password is refused", async ({
    passwords: { s, linked, expectRefused, reset },
  }) => {
    const person = await s.manager();
    const token = await linked(person);
    const before = hashCount();
    await expectRefused("x".repeat(43));
    for (const [password, problem] of [
      ["short", /8/],
      ["password123", /common/],
      [person.username, /username/],
    ] as const) {
      const { status, body } = await reset(token, password);
      expect([status, body]).toEqual([400, { password: [expect.stringMatching(problem)] }]);
    }
    expect(hashCount()).toBe(before);
    expect((await reset(token, newPassword())).status).toBe(204);
    expect(hashCount()).toBeGreaterThan(before);
  });

  it("can be guessed only a limited number of times per minute from one address", async () => {
    const at = await startService({ throttleTokensPerMinute: 4, trustProxy: ["127.0.0.1"] });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      const { status } = await at.send("POST", "/api/v1/account/reset-password/", {
        json: { token: "x".repeat(43), password: newPassword() },
        headers: { "X-Forwarded-For": "203.0.113.99" },
      });
      statuses.push(status);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 429, 429]);
  });
});
