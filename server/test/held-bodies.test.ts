/**
 * A request is checked against the state at the time of its change, not the state up to a minute earlier, when its headers
 * arrived.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/operator/commands.js";
import { jobs } from "../src/store/schema.js";
import { startService, type TestAccount, type TestService } from "./service.js";

let s: TestService;

beforeAll(async () => {
  s = await startService({ throttleAccountMailsPerDay: 2 });
});

/** Time in which the service reads the headers and looks up the token and the object in the path. */
const HEADERS_READ_MS = 300;

/** Sends a request whose body arrives after `meanwhile`. */
async function held(
  method: string,
  path: string,
  { token }: Pick<TestAccount, "token">,
  json: object,
  meanwhile: () => Promise<unknown>,
): Promise<{ status: number; code: string | null }> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const text = JSON.stringify(json);
  const request: RequestInit & { duplex: "half" } = {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: readable,
    duplex: "half",
  };
  const answer = fetch(`${s.service.url}${path}`, request);
  await writer.write(Buffer.from(text.slice(0, 1)));
  await sleep(HEADERS_READ_MS);
  await meanwhile();
  await writer.write(Buffer.from(text.slice(1)));
  await writer.close();
  const { status, headers } = await answer;
  return { status, code: headers.get("x-error-code") };
}

const notices = (email: string) =>
  s.store.database.queries.$count(
    jobs,
    sql`payload->>'template' LIKE '%-changed' AND payload->>'to' = ${email}`,
  );

describe.each(["manager", "athlete"] as const)(
  "a change to the account of the caller, with role %s, whose body arrives late",
  (role) => {
    const pathOf = ({ id }: TestAccount) => `/api/v1/${role}s/${id}/`;
    const change = async (person: TestAccount, json: object) =>
      (await s.send("PATCH", pathOf(person), { token: person.token, json })).status;
    const rename = () => ({ username: `renamed ${randomUUID()}` });

    it("counts for the email address that the account has when the body arrives", async () => {
      const email = `${randomUUID()}@example.org`;
      const oldest = await s[role]({ email });
      const [one, late] = [await s[role]({ email }), await s[role]({ email: `own-${email}` })];
      expect([await change(one, rename()), await change(one, rename())]).toEqual([201, 201]);
      const sent = await held("PATCH", pathOf(late), late, rename(), () => change(late, { email }));
      expect(sent).toEqual({ status: 429, code: "throttled" });
      expect([await notices(email), await change(oldest, rename())]).toEqual([2, 201]);
    });

    it("needs proof for an email address that has been replaced before the body arrives", async () => {
      const [email, other] = [`${randomUUID()}@example.org`, `${randomUUID()}@example.org`];
      const person = await s[role]({ email });
      const meanwhile = async () => {
        expect(await change(person, { email: other })).toBe(201);
        s.clock.advance(5 * 60_000 + 1);
      };
      const sent = await held("PATCH", pathOf(person), person, { email }, meanwhile);
      expect(sent).toEqual({ status: 400, code: "current_password_required" });
    });
  },
);

describe("a request whose body arrives after its session has ended", () => {
  const rename = (person: TestAccount, meanwhile: () => Promise<unknown>) =>
    held(
      "PATCH",
      `/api/v1/managers/${person.id}/`,
      person,
      { manager_profile: { first_name: "Late" } },
      meanwhile,
    );
  const create = (person: TestAccount, meanwhile: () => Promise<unknown>) =>
    held("POST", "/api/v2/squads/", person, { name: `late ${randomUUID()}` }, meanwhile);

  const endings: [string, (person: TestAccount) => Promise<unknown>][] = [
    ["the session has been ended", ({ username }) => commands["session revoke"](s.ctx, { username })],
    [
      "the password has been changed",
      ({ id, token }) =>
        s.send("PUT", `/api/v1/managers/${id}/change-password/`, { token, json: { password: randomUUID() } }),
    ],
    [
      "the operator has disabled the account",
      ({ username }) => commands["account disable"](s.ctx, { username }),
    ],
    ["the token has expired", async () => s.clock.advance(11 * 3_600_000)],
  ];
  it.each(endings)("changes nothing after %s", async (_, end) => {
    for (const [request, status] of [
      [rename, 403],
      [create, 401],
    ] as const) {
      const person = await s.manager();
      const sent = await request(person, () => end(person));
      expect(sent).toEqual({ status, code: "invalid_token" });
    }
  });
});
