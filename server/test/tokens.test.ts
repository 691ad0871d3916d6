import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { auditLog } from "../src/store/schema.js";
import { service, startService, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
});

const password = (more: Record<string, string> = {}) =>
  s.token({ grant_type: "password", username: ann.username, password: ann.password, ...more });

describe("at the token endpoint,", () => {
  it("a password grants a bearer token for ten hours and a refresh token", async () => {
    const { status, body, headers } = await password();
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 36_000,
      token_type: "Bearer",
      scope: "all",
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("pragma")).toBe("no-cache");
  });

  it("each issued token is recorded in the audit log with account and application, but without the token", async () => {
    const bob = await s.manager();
    const { body } = await s.token({
      grant_type: "password",
      username: bob.username,
      password: bob.password,
    });
    await s.token({ grant_type: "refresh_token", refresh_token: body.refresh_token });
    const rows = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.accountId, bob.id), eq(auditLog.operation, "obtainToken")))
      .orderBy(auditLog.id);
    expect(rows.map(({ entity, entityId, after }) => [entity, entityId, after])).toEqual(
      ["issued", "issued", "refreshed"].map((tokens) => [
        "account",
        bob.id,
        { tokens, application: expect.any(Number) },
      ]),
    );
  });

  it("the client's credentials are also accepted with HTTP Basic", async () => {
    const { clientId, clientSecret } = await s.client();
    const basic = (secret: string) =>
      s.send("POST", "/oauth2/token/", {
        form: { grant_type: "password", username: ann.username, password: ann.password },
        headers: { Authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
      });
    expect((await basic(clientSecret)).status).toBe(200);
    const refused = await basic("wrong");
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe('Basic realm="oauth2"');
  });

  it("each error uses its name from RFC 6749", async () => {
    const errorOf = async (more: Record<string, string>) => {
      const { status, body } = await password(more);
      return [status, body.error];
    };
    expect(await errorOf({ password: "wrong" })).toEqual([400, "invalid_grant"]);
    expect(await errorOf({ username: "no one" })).toEqual([400, "invalid_grant"]);
    expect(await errorOf({ username: "no\0one" })).toEqual([400, "invalid_request"]);
    expect(await errorOf({ username: "" })).toEqual([400, "invalid_request"]);
    expect(await errorOf({ grant_type: "" })).toEqual([400, "invalid_request"]);
    expect(await errorOf({ grant_type: "device" })).toEqual([400, "unsupported_grant_type"]);
    expect(
      await errorOf({ grant_type: "authorization_code", code: "x", redirect_uri: "https://a.example/" }),
    ).toEqual([400, "unauthorized_client"]);
    expect(await errorOf({ scope: "some" })).toEqual([400, "invalid_scope"]);
    expect(await errorOf({ scope: "all" })).toEqual([200, undefined]);
    expect(await errorOf({ client_secret: "wrong" })).toEqual([401, "invalid_client"]);
    expect(await errorOf({ client_id: "wrong" })).toEqual([401, "invalid_client"]);
  });

  it("each field of the token request is accepted only once, and only in a form", async () => {
    const { clientId, clientSecret } = await s.client();
    const form = `client_id=${clientId}&client_secret=${clientSecret}&grant_type=password&username=a&username=b&password=c`;
    const repeated = await s.send("POST", "/oauth2/token/", {
      body: form,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });
    expect([repeated.status, repeated.body.error]).toEqual([400, "invalid_request"]);
    const json = await s.post("/oauth2/token/", { grant_type: "password" });
    expect([json.status, json.body.error]).toEqual([400, "invalid_request"]);
    const nothing = await s.send("POST", "/oauth2/token/");
    expect([nothing.status, nothing.body.error]).toEqual([400, "invalid_request"]);
  });

  it("an access token expires after ten hours", async () => {
    const later = await startService();
    later.clock.stopAt(Date.now());
    const token = await later.logIn(ann.username, ann.password);
    later.clock.advance(35_999_000);
    expect((await later.get("/api/v1/account/", token)).status).toBe(200);
    later.clock.advance(2_000);
    expect((await later.get("/api/v1/account/", token)).status).toBe(403);
    await later.stop();
  });

  it("a refresh token can be used repeatedly and does not change", async () => {
    const { body: first } = await password();
    for (let times = 0; times < 3; times++) {
      const { status, body } = await s.token({
        grant_type: "refresh_token",
        refresh_token: first.refresh_token,
      });
      expect(status).toBe(200);
      expect(body.refresh_token).toBe(first.refresh_token);
      expect(body.access_token).not.toBe(first.access_token);
      expect((await s.get("/api/v1/account/", body.access_token)).status).toBe(200);
    }
    const unknown = await s.token({ grant_type: "refresh_token", refresh_token: "unknown" });
    expect([unknown.status, unknown.body.error]).toEqual([400, "invalid_grant"]);
  });

  it("wrong passwords for one username are throttled", async () => {
    const strict = await startService({ throttleFailedPasswords: 3 });
    const eve = await s.manager();
    const wrong = { grant_type: "password", username: eve.username, password: "wrong" };
    for (let times = 0; times < 3; times++) expect((await strict.token(wrong)).status).toBe(400);
    const refused = await strict.token({ ...wrong, password: eve.password });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(800);
    expect(
      (await strict.token({ grant_type: "password", username: ann.username, password: ann.password })).status,
    ).toBe(200);
    await strict.stop();
  });
});
