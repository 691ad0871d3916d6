/**
 * Tests that shortly after sign-in, a token is sufficient to change the password and the email address; later the current
 * password is required.
 */
import { describe, expect } from "vitest";
import { newPassword, withPasswordResets } from "./password-reset-scene.js";
import type { Send, TestAccount, TestService } from "./service.js";

const it = withPasswordResets();

const pathOf = (role: "manager" | "athlete", { id }: TestAccount) => `/api/v1/${role}s/${id}/`;
const change = (s: TestService, path: string, { token }: TestAccount, json: object, method = "PATCH") =>
  s.send(method, path, { token, json } satisfies Send);
const later = (s: TestService) => s.clock.advance(5 * 60_000 + 1);
const required = ["400", "current_password_required"];
const outcome = ({ status, headers }: Awaited<ReturnType<typeof change>>) => [
  `${status}`,
  headers.get("x-error-code"),
];

describe.each(["manager", "athlete"] as const)("the password of a %s", (role) => {
  it.for([
    ["change-password/", "PUT", 204],
    ["", "PATCH", 201],
  ] as const)(
    "can be changed with only a token right after signing in (%s%s)",
    async ([operation, method, status], { passwords: { s, isOpen, logsIn, mailsTo } }) => {
      const person = await s[role]();
      const other = await s.logIn(person.username, person.password);
      const password = newPassword();
      const done = await change(s, pathOf(role, person) + operation, person, { password }, method);
      expect(done.status).toBe(status);
      expect([await isOpen(other), await logsIn(person, password)]).toEqual([false, true]);
      expect((await mailsTo(person)).map(({ subject }) => subject)).toContain("Your password was changed");
    },
  );

  it.for([
    ["change-password/", "PUT", 204],
    ["", "PATCH", 201],
  ] as const)(
    "can be changed later only with the current password (%s%s)",
    async ([operation, method, status], { passwords: { s, isOpen, logsIn } }) => {
      const person = await s[role]();
      later(s);
      const path = pathOf(role, person) + operation;
      const password = newPassword();
      const alone = await change(s, path, person, { password }, method);
      expect(outcome(alone)).toEqual(required);
      expect(alone.body).toHaveProperty("current_password");
      const wrong = await change(s, path, person, { password, current_password: "not the password" }, method);
      expect(outcome(wrong)).toEqual(["400", "wrong_password"]);
      expect(wrong.body).toHaveProperty("current_password");
      expect([await isOpen(person.token), await logsIn(person, person.password)]).toEqual([true, true]);
      const proven = { password, current_password: person.password };
      expect((await change(s, path, person, proven, method)).status).toBe(status);
      expect([await isOpen(person.token), await logsIn(person, password)]).toEqual([false, true]);
    },
  );
});

describe("the credentials of an account", () => {
  it("can be changed only with the current password after a token refresh, even if the token is new", async ({
    passwords: { s },
  }) => {
    const person = await s.manager();
    const { username, password } = person;
    const { refresh_token } = (await s.token({ grant_type: "password", username, password })).body;
    later(s);
    const { access_token } = (await s.token({ grant_type: "refresh_token", refresh_token })).body;
    const path = pathOf("manager", person);
    const refreshed = { ...person, token: access_token };
    expect(outcome(await change(s, path, refreshed, { password: newPassword() }))).toEqual(required);
    const renewed = { ...person, token: await s.logIn(username, password) };
    expect((await change(s, path, renewed, { password: newPassword() })).status).toBe(201);
  });

  it("can be included unchanged in an update of the account that contains the current password", async ({
    passwords: { s, isOpen },
  }) => {
    const person = await s.manager();
    later(s);
    const { username, email } = (await s.get("/api/v1/account/", person.token)).body;
    const same = { username, email, password: person.password, manager_profile: { first_name: "Ann" } };
    expect((await change(s, pathOf("manager", person), person, same, "PUT")).status).toBe(201);
    expect(await isOpen(person.token)).toBe(true);
  });

  it("include the email address for password links; the previous address is notified of changes", async ({
    passwords: { s, mailsTo },
  }) => {
    const person = await s.manager();
    later(s);
    const path = pathOf("manager", person);
    const email = `thief-of-${person.username}@example.org`;
    expect(outcome(await change(s, path, person, { email }))).toEqual(required);
    const proven = { email, password: newPassword(), current_password: person.password };
    expect((await change(s, path, person, proven)).status).toBe(201);
    const told = (await mailsTo(person)).filter(({ subject }) => subject !== "Your account");
    expect(told.map(({ to, subject }) => [to, subject]).sort()).toEqual([
      [`${person.username}@example.org`, "Your email address was changed"],
      [`${person.username}@example.org`, "Your password was changed"],
    ]);
  });

  it("include the username, also for someone who has found a token; a new username is sent by email, because the user needs it to sign in and to request a password link", async ({
    passwords: { s, mailsTo },
  }) => {
    const person = await s.manager();
    const username = `renamed-${person.username}`;
    const path = pathOf("manager", person);
    later(s);
    expect(outcome(await change(s, path, person, { username }))).toEqual(required);
    const proven = { username, current_password: person.password };
    expect((await change(s, path, person, proven)).status).toBe(201);
    const told = (await mailsTo(person)).find(({ subject }) => subject === "Your username was changed");
    expect(told?.to).toBe(`${person.username}@example.org`);
    expect(told?.text).toContain(`Username: ${username}`);
  });

  it("cannot be guessed with a token: wrong passwords count in the same way as at login", async ({
    passwords: { s },
  }) => {
    const person = await s.manager();
    later(s);
    const guess = () =>
      change(s, pathOf("manager", person), person, { password: newPassword(), current_password: "a guess" });
    for (let tries = 0; tries < s.config.throttleFailedPasswords; tries += 1) {
      expect((await guess()).status).toBe(400);
    }
    expect((await guess()).status).toBe(429);
  });
});
