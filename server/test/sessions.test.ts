/** Tests how the operator lists sessions, and ends one session or all sessions of an account or an application. */
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { createApplication } from "../src/oauth/applications.js";
import { commands } from "../src/operator/commands.js";
import { service, type TestAccount, type TestService } from "./service.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

interface Listed {
  id: number | null;
  application: string;
  issued: string;
  last_used: string;
}

const sessionsOf = async ({ username }: TestAccount) =>
  (await commands["session list"](s.ctx, { username })).sessions as Listed[];

const isOpen = async (token: string) => (await s.get("/api/v1/account/", token)).status === 200;

async function logInWith(name: string, { username, password }: TestAccount) {
  const { clientId, clientSecret } = await createApplication(s.ctx, { name, redirectUris: [] });
  const client = { client_id: clientId, client_secret: clientSecret };
  const { body } = await s.token({ grant_type: "password", username, password, ...client });
  const refresh = () =>
    s.token({ grant_type: "refresh_token", refresh_token: body.refresh_token, ...client });
  return {
    clientId,
    access: body.access_token as string,
    refreshToken: body.refresh_token as string,
    refresh,
  };
}

describe("the operator", () => {
  it("sees the application, start and last use of each session, but no token", async () => {
    const person = await s.manager();
    const phone = await logInWith("Phone", person);
    const sessions = await sessionsOf(person);
    expect(sessions.map(({ application }) => application).sort()).toEqual(["Phone", "test"]);
    const [session] = sessions.filter(({ application }) => application === "Phone");
    expect(session).toEqual({
      id: expect.any(Number),
      name: null,
      application: "Phone",
      client_id: phone.clientId,
      issued: expect.stringMatching(/^\d{4}-.*Z$/),
      last_used: session?.issued,
      access_tokens: 1,
    });
    await sleep(5);
    expect((await phone.refresh()).status).toBe(200);
    const [used] = (await sessionsOf(person)).filter(({ application }) => application === "Phone");
    expect(used).toMatchObject({ id: session?.id, issued: session?.issued, access_tokens: 2 });
    expect(Date.parse(used?.last_used ?? "")).toBeGreaterThan(Date.parse(session?.issued ?? ""));
    const told = JSON.stringify(await commands["session list"](s.ctx, { username: person.username }));
    for (const token of [person.token, phone.access, phone.refreshToken]) expect(told).not.toContain(token);
  });

  it("ends one session, and the others continue", async () => {
    const person = await s.manager();
    const other = await s.manager();
    const phone = await logInWith("Phone", person);
    const id = String((await sessionsOf(person)).find(({ application }) => application === "Phone")?.id);
    await expect(commands["session revoke"](s.ctx, { username: other.username, id })).rejects.toThrow(
      "not_found",
    );
    await commands["session revoke"](s.ctx, { username: person.username, id });
    expect(await isOpen(phone.access)).toBe(false);
    expect((await phone.refresh()).body.error).toBe("invalid_grant");
    expect(await isOpen(person.token)).toBe(true);
    expect((await sessionsOf(person)).map(({ application }) => application)).toEqual(["test"]);
  });

  it("revokes an application with all its sessions and its credentials", async () => {
    const [ann, bob] = [await s.manager(), await s.manager()];
    const phone = await logInWith("Phone", ann);
    const lost = await logInWith("Lost", ann);
    expect(await isOpen(lost.access)).toBe(true);
    expect(await commands["app revoke"](s.ctx, { clientId: lost.clientId })).toMatchObject({
      name: "Lost",
      sessions_ended: 1,
    });
    expect(await isOpen(lost.access)).toBe(false);
    expect((await lost.refresh()).body.error).toBe("invalid_client");
    expect((await sessionsOf(ann)).map(({ application }) => application).sort()).toEqual(["Phone", "test"]);
    for (const token of [ann.token, bob.token, phone.access]) expect(await isOpen(token)).toBe(true);
    await expect(commands["app revoke"](s.ctx, { clientId: "nobody" })).rejects.toThrow("not_found");
  });
});
