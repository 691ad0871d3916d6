/** Tests the sign-in on a device without a browser (RFC 8628). */
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { DEVICE_GRANT } from "../src/oauth/device-codes.js";
import { revokeApplication } from "../src/oauth/sessions.js";
import { commands } from "../src/operator/commands.js";
import { auditLog, deviceCodes } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { service, startService, type TestAccount, TestService } from "./service.js";

const BEGIN = "/oauth2/device_authorization/";
const DECIDE = "/api/v2/device-sign-ins/decide/";
const FIND = "/api/v2/device-sign-ins/find/";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await startService();
  s.clock.stopAt(Date.now());
  ann = await s.manager();
});

const begin = (form: Record<string, string> = {}, at = s) =>
  at.send("POST", BEGIN, { form: { client_id: "asi-command", ...form } });

const poll = (deviceCode: string, clientId = "asi-command", at = s) =>
  at.send("POST", "/oauth2/token/", {
    form: { grant_type: DEVICE_GRANT, client_id: clientId, device_code: deviceCode },
  });

const decide = (code: string, approve: boolean, token = ann.token) =>
  s.post(DECIDE, { code, approve, ...(token === ann.token && { password: ann.password }) }, token);

/** Polls after a pause. @returns the error, or the status */
const outcome = async (deviceCode: string) => {
  s.clock.advance(60_000);
  const { status, body } = await poll(deviceCode);
  return body.error ?? status;
};

describe("a device that signs in", () => {
  it("gets a token with its scopes once, after the approval, and is listed as a session", async () => {
    const { status, body } = await begin({ scope: "samples:read" });
    const page = `${s.service.url}/#/connect`;
    expect([status, body]).toEqual([
      200,
      {
        device_code: expect.stringMatching(/^[\w-]{43}$/),
        user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
        verification_uri: page,
        verification_uri_complete: `${page}?code=${body.user_code}`,
        expires_in: 600,
        interval: 5,
      },
    ]);
    expect(await outcome(body.device_code)).toBe("authorization_pending");
    const typed = body.user_code.toLowerCase().replace("-", " ");
    expect((await s.post(FIND, { code: typed }, ann.token)).body).toEqual({
      application: "The command asi",
      scopes: ["samples:read"],
      begun_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect((await decide(typed, true)).status).toBe(204);
    expect((await decide(typed, false)).body.code).toBe("wrong_code");
    const token = await poll(body.device_code);
    expect(token.body).toEqual({
      access_token: expect.any(String),
      expires_in: 36_000,
      token_type: "Bearer",
      scope: "samples:read",
    });
    expect(await outcome(body.device_code)).toBe("invalid_grant");
    const { access_token } = token.body;
    expect((await s.get("/api/v1/account/", access_token)).body.id).toBe(ann.id);
    expect((await s.get("/api/v2/squads/", access_token)).body.code).toBe("insufficient_scope");
    for (const path of [FIND, DECIDE])
      expect((await s.post(path, { code: "X", approve: true }, access_token)).body.code).toBe(
        "insufficient_scope",
      );
    const sessions = (await s.get("/session/", ann.token)).body.results;
    const own = sessions.find(({ application }: { application: string }) => application.includes("asi"));
    expect(own).toMatchObject({ is_current: false, expires_at: expect.any(String) });
    await s.send("DELETE", `/session/${own.id}/`, { token: ann.token });
    expect((await s.get("/api/v1/account/", access_token)).status).toBe(403);
    const rows = await s.store.database.queries.select().from(auditLog);
    expect(rows.some(({ operation, after }) => operation === "decideDeviceSignIn" && after !== null)).toBe(
      true,
    );
    const stored = JSON.stringify(rows);
    for (const secret of [body.device_code, body.user_code, access_token])
      expect(stored).not.toContain(secret);
  });

  it("is approved without the password only in the first five minutes after signing in; it can be refused at any time", async () => {
    const { body } = await begin();
    const token = await s.logIn(ann.username, ann.password);
    const send = (approve: boolean, password?: string) =>
      s.post(DECIDE, { code: body.user_code, approve, ...(password !== undefined && { password }) }, token);
    s.clock.advance(5 * 60_000 + 1);
    const alone = await send(true);
    expect([alone.status, alone.body.code, alone.body.errors[0].field]).toEqual([
      400,
      "password_required",
      "password",
    ]);
    expect((await send(true, "not the password")).body.code).toBe("wrong_password");
    expect(await outcome(body.device_code)).toBe("authorization_pending");
    expect((await send(true, ann.password)).status).toBe(204);
    const other = (await begin()).body;
    const fresh = await s.logIn(ann.username, ann.password);
    expect((await s.post(DECIDE, { code: other.user_code, approve: true }, fresh)).status).toBe(204);
    const third = (await begin()).body;
    expect((await s.post(DECIDE, { code: third.user_code, approve: false }, token)).status).toBe(204);
    expect(await outcome(third.device_code)).toBe("access_denied");
  });

  it("is refused after a denial, and after ten minutes", async () => {
    const denied = (await begin()).body;
    expect((await decide(denied.user_code, false)).status).toBe(204);
    expect(await outcome(denied.device_code)).toBe("access_denied");
    const late = (await begin()).body;
    const approved = (await begin()).body;
    await decide(approved.user_code, true);
    s.clock.advance(600_000);
    expect(await outcome(late.device_code)).toBe("expired_token");
    expect(await outcome(approved.device_code)).toBe("expired_token");
    expect((await decide(late.user_code, true)).body.code).toBe("wrong_code");
    s.clock.advance(600_000);
    await applyRetention(s.ctx);
    expect(await s.store.database.queries.$count(deviceCodes)).toBe(0);
    expect(await outcome(late.device_code)).toBe("invalid_grant");
  });

  it("must wait longer if it polls too often", async () => {
    const { device_code } = (await begin()).body;
    const errorAfter = async (ms: number) => {
      s.clock.advance(ms);
      return (await poll(device_code)).body.error;
    };
    expect(await errorAfter(0)).toBe("authorization_pending");
    expect(await errorAfter(4_900)).toBe("slow_down");
    expect(await errorAfter(9_900)).toBe("slow_down");
    expect(await errorAfter(15_000)).toBe("authorization_pending");
  });

  it("needs an application that supports this flow, a code of this application, and known scopes", async () => {
    const { client_id: other } = (await commands["app create"](s.ctx, { name: "Watch", device: true })) as {
      client_id: string;
    };
    const { clientId } = await s.client();
    const errorOf = async (form: Record<string, string>) => (await begin(form)).body.error;
    expect(await errorOf({ client_id: "unknown" })).toBe("invalid_client");
    expect(await errorOf({ client_id: "" })).toBe("invalid_request");
    expect(await errorOf({ client_id: clientId })).toBe("unauthorized_client");
    for (const scope of ["all", "samples:read all", "samples"])
      expect(await errorOf({ scope })).toBe("invalid_scope");
    const { body } = await begin({ client_id: other });
    await decide(body.user_code, true);
    expect((await poll(body.device_code)).body.error).toBe("invalid_grant");
    expect((await poll(body.device_code, clientId)).body.error).toBe("unauthorized_client");
    const { status, body: token } = await poll(body.device_code, other);
    expect([status, token.scope]).toEqual([200, "samples:read sessions:read"]);
  });

  it("gets no token if the password or the sessions have changed, or the application has been revoked, after the approval", async () => {
    const ben = await s.manager();
    const first = (await begin()).body;
    await decide(first.user_code, true, ben.token);
    await commands["session revoke"](s.ctx, { username: ben.username });
    expect(await outcome(first.device_code)).toBe("invalid_grant");
    const dan = await s.manager();
    const { device_code, user_code } = (await begin()).body;
    await decide(user_code, true, dan.token);
    const changed = await s.send("PATCH", `/api/v1/managers/${dan.id}/`, {
      token: dan.token,
      json: { password: "a different passphrase" },
    });
    expect(changed.status).toBe(201);
    expect(await outcome(device_code)).toBe("invalid_grant");
    const own = await TestService.start(await newStore());
    const second = (await begin({}, own)).body;
    const fay = await own.manager();
    await own.post(DECIDE, { code: second.user_code, approve: true }, fay.token);
    await revokeApplication(own.ctx, "asi-command");
    expect((await poll(second.device_code, "asi-command", own)).body.error).toBe("invalid_client");
    expect(await own.store.database.queries.$count(deviceCodes)).toBe(0);
  });

  it("is one of at most ten that wait for one application and address, and codes cannot be guessed", async () => {
    const own = await TestService.start(await newStore());
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await begin({}, own)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    const ben = await own.manager();
    for (let guess = 0; guess < 20; guess++)
      expect((await own.post(FIND, { code: "BBBB-BBBB" }, ben.token)).status).toBe(400);
    expect((await own.post(FIND, { code: "BBBB-BBBB" }, ben.token)).status).toBe(429);
    expect((await own.post(DECIDE, { code: "BBBB-BBBB", approve: true }, ben.token)).status).toBe(429);
  });

  it("can use a client library, which discovers the addresses", async () => {
    const real = await service();
    const cleo = await real.manager();
    const issuer = new URL(real.service.url ?? "");
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
    );
    const client = { client_id: "asi-command" };
    const begun = await oauth.processDeviceAuthorizationResponse(
      server,
      client,
      await oauth.deviceAuthorizationRequest(
        server,
        client,
        oauth.None(),
        { scope: "samples:read" },
        insecure,
      ),
    );
    const redeem = async () =>
      oauth.processDeviceCodeResponse(
        server,
        client,
        await oauth.deviceCodeGrantRequest(server, client, oauth.None(), begun.device_code, insecure),
      );
    await expect(redeem()).rejects.toMatchObject({ error: "authorization_pending" });
    await expect(redeem()).rejects.toMatchObject({ error: "slow_down" });
    await real.post(DECIDE, { code: begun.user_code, approve: true }, cleo.token);
    const { access_token, scope } = await redeem();
    expect(scope).toBe("samples:read");
    expect((await real.get("/api/v1/account/", access_token)).body.id).toBe(cleo.id);
  });
});
