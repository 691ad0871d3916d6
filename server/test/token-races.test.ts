/** Tests that an operation that ends sessions also ends sessions that are being started concurrently. */
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { createApplication } from "../src/oauth/applications.js";
import { commands } from "../src/operator/commands.js";
import { accessTokens, applications, refreshTokens } from "../src/store/schema.js";
import { type Answer, service, startService, type TestAccount, type TestService } from "./service.js";

const ROUNDS = 40;

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const logIn = ({ username, password }: Pick<TestAccount, "username" | "password">) =>
  s.token({ grant_type: "password", username, password });
const refresh = (refresh_token: string) => s.token({ grant_type: "refresh_token", refresh_token });

/** Returns whether a token in the response of the token endpoint is still valid. */
async function opens({ status, body }: Answer): Promise<boolean> {
  if (status !== 200) {
    expect([status, body.error]).toEqual([400, "invalid_grant"]);
    return false;
  }
  const account = await s.get("/api/v1/account/", body.access_token);
  return account.status === 200 || (await refresh(body.refresh_token)).status === 200;
}

describe("a token request in progress", () => {
  it("returns no token that remains valid after a change of the password", async () => {
    let person = await s.manager();
    for (let round = 0; round < ROUNDS; round++) {
      const old = logIn(person);
      await sleep(round % 10);
      const password = `password of round ${round}`;
      const changed = await s.send("PUT", `/api/v1/managers/${person.id}/change-password/`, {
        token: person.token,
        json: { password },
      });
      expect(changed.status).toBe(204);
      expect([round, await opens(await old)]).toEqual([round, false]);
      person = { ...person, password, token: await s.logIn(person.username, password) };
    }
  });

  it("returns no access token for a refresh token that is being revoked", async () => {
    const person = await s.manager();
    for (let round = 0; round < ROUNDS; round++) {
      const { refresh_token } = (await logIn(person)).body;
      const refreshed = refresh(refresh_token);
      await sleep(round % 5);
      await commands["session revoke"](s.ctx, { username: person.username });
      expect([round, await opens(await refreshed)]).toEqual([round, false]);
    }
  });

  it("is refused for an account that is being deleted", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const person = await s.athlete();
      const login = logIn(person);
      await sleep(round % 10);
      expect((await s.send("DELETE", `/api/v1/athletes/${person.id}/`, { token: person.token })).status).toBe(
        204,
      );
      expect([round, await opens(await login)]).toEqual([round, false]);
    }
  });
});

describe("an application that is revoked", () => {
  it("receives no token from a request in progress", async () => {
    const { username, password } = await s.manager();
    for (let round = 0; round < ROUNDS; round++) {
      const { clientId, clientSecret } = await createApplication(s.ctx, { name: "race", redirectUris: [] });
      const login = s.token({
        grant_type: "password",
        username,
        password,
        client_id: clientId,
        client_secret: clientSecret,
      });
      await sleep(round);
      await commands["app revoke"](s.ctx, { clientId });
      expect([200, 400, 401]).toContain((await login).status);
      const left = await s.store.database.queries
        .select({ application: applications.name })
        .from(refreshTokens)
        .innerJoin(applications, eq(applications.id, refreshTokens.applicationId))
        .where(eq(applications.clientId, clientId));
      expect([round, left]).toEqual([round, []]);
    }
  });

  it("loses its access, because its access tokens, its refresh tokens and its credentials are invalid", async () => {
    const other = await startService();
    const person = await other.manager();
    const { clientId } = await other.client();
    const { body } = await other.token({
      grant_type: "password",
      username: person.username,
      password: person.password,
    });
    expect((await other.get("/api/v1/account/", body.access_token)).status).toBe(200);
    await other.store.database.queries
      .update(applications)
      .set({ revokedAt: other.clock.now() })
      .where(eq(applications.clientId, clientId));
    expect((await other.get("/api/v1/account/", body.access_token)).status).toBe(403);
    const refreshed = await other.token({ grant_type: "refresh_token", refresh_token: body.refresh_token });
    expect([refreshed.status, refreshed.body.error]).toEqual([401, "invalid_client"]);
    const again = await other.token({
      grant_type: "password",
      username: person.username,
      password: person.password,
    });
    expect([again.status, again.body.error]).toEqual([401, "invalid_client"]);
  });
});

describe("refresh tokens", () => {
  it("are limited per account and application; the least recently used token is removed", async () => {
    const small = await startService({ refreshTokensPerApplication: 3 });
    const person = await small.manager();
    const login = { grant_type: "password", username: person.username, password: person.password };
    const held: string[] = [];
    const give = async () => {
      small.clock.advance(1000);
      held.push((await small.token(login)).body.refresh_token);
    };
    const use = (index: number) => {
      small.clock.advance(1000);
      return small.token({ grant_type: "refresh_token", refresh_token: held[index] ?? "" });
    };
    for (let times = 0; times < 3; times++) await give();
    expect((await use(0)).status).toBe(200);
    await give();
    expect((await use(1)).body.error).toBe("invalid_grant");
    for (const index of [0, 2, 3]) expect((await use(index)).status).toBe(200);
    const { queries } = small.store.database;
    expect(await queries.$count(refreshTokens, eq(refreshTokens.accountId, person.id))).toBe(3);
    // An access token that has been issued remains valid for ten hours.
    expect(await queries.$count(accessTokens, eq(accessTokens.accountId, person.id))).toBeGreaterThan(4);
  });
});

describe("access tokens", () => {
  it("are limited per account and application; the oldest token is removed", async () => {
    const small = await startService({ refreshTokensPerApplication: 1 });
    const [person, other] = [await small.manager(), await small.manager()];
    const given: string[] = [];
    for (let times = 0; times < 8; times++) {
      small.clock.advance(1000);
      given.push(await small.logIn(person.username, person.password));
    }
    const answers = await Promise.all(given.map((token) => small.get("/api/v1/account/", token)));
    expect(answers.map(({ status }) => status)).toEqual([...Array(3).fill(403), ...Array(5).fill(200)]);
    expect((await small.get("/api/v1/account/", other.token)).status).toBe(200);
  });
});
