/** Tests token revocation (RFC 7009) with a client library that is given only the address of the service. */
import { and, desc, eq } from "drizzle-orm";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, it } from "vitest";
import { DEVICE_GRANT } from "../src/oauth/device-codes.js";
import { PAGE_CLIENT_ID } from "../src/oauth/page-sessions.js";
import { TOKEN_CLIENT_ID } from "../src/oauth/personal-tokens.js";
import { commands } from "../src/operator/commands.js";
import { auditLog } from "../src/store/schema.js";
import { EventClient } from "./event-source.js";
import { startService, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await startService({ livePollMs: 20 });
  ann = await s.manager();
});

/** The service listens on the loopback interface without TLS. */
const OPTIONS = { [oauth.allowInsecureRequests]: true };

interface App {
  client_id: string;
  client_secret: string;
}

async function revoked(
  client_id: string,
  proof: oauth.ClientAuth,
  token: string,
  hint?: string,
): Promise<void> {
  const issuer = new URL(s.service.url ?? "");
  const discovery = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...OPTIONS });
  const server = await oauth.processDiscoveryResponse(issuer, discovery);
  const additionalParameters = hint === undefined ? {} : { token_type_hint: hint };
  const response = await oauth.revocationRequest(server, { client_id }, proof, token, {
    additionalParameters,
    ...OPTIONS,
  });
  await oauth.processRevocationResponse(response);
}

const statusWith = async (token: string) => (await s.get("/api/v1/account/", token)).status;
const refresh = (refresh_token: string) => s.token({ grant_type: "refresh_token", refresh_token });

async function ownClient(): Promise<App> {
  const { clientId, clientSecret } = await s.client();
  return { client_id: clientId, client_secret: clientSecret };
}

const machine = async () =>
  (await commands["app create"](s.ctx, {
    name: "Warehouse",
    user: ann.username,
    scope: ["samples:read"],
  })) as unknown as App;

const machineToken = async (app: App): Promise<string> =>
  (await s.token({ ...app, grant_type: "client_credentials" })).body.access_token;

describe("the revocation of a token", () => {
  it("ends a refresh token, its access tokens and an open connection", async () => {
    const { username, password } = ann;
    const { body } = await s.token({ grant_type: "password", username, password });
    const again = (await refresh(body.refresh_token)).body.access_token;
    const events = await EventClient.open(`${s.service.url}/api/v2/live/`, {
      Authorization: `Bearer ${again}`,
    });
    const { client_id, client_secret } = await ownClient();
    await revoked(client_id, oauth.ClientSecretPost(client_secret), body.refresh_token, "refresh_token");
    for (const token of [body.access_token, again]) expect(await statusWith(token)).toBe(403);
    expect((await refresh(body.refresh_token)).body.error).toBe("invalid_grant");
    expect(await events.end()).toBe("signed_out");
    const [row] = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.accountId, ann.id), eq(auditLog.operation, "revokeToken")))
      .orderBy(desc(auditLog.id));
    expect(row?.after).toMatchObject({ tokens: "revoked" });
  });

  it("ends an access token without its session, regardless of the hint", async () => {
    const { username, password } = ann;
    const { client_id, client_secret } = await ownClient();
    for (const hint of ["access_token", "refresh_token", "something", undefined]) {
      const { body } = await s.token({ grant_type: "password", username, password });
      await revoked(client_id, oauth.ClientSecretBasic(client_secret), body.access_token, hint);
      expect(await statusWith(body.access_token)).toBe(403);
      expect((await refresh(body.refresh_token)).status).toBe(200);
    }
  });

  it("ends only one of two tokens of client credentials", async () => {
    const app = await machine();
    const [one, other] = [await machineToken(app), await machineToken(app)];
    await revoked(app.client_id, oauth.ClientSecretBasic(app.client_secret), one);
    expect([await statusWith(one), await statusWith(other)]).toEqual([403, 200]);
  });

  it("works for clients that send the token in the Authorization header of every request", async () => {
    const app = await machine();
    const token = await machineToken(app);
    const form = { ...app, token };
    const { status } = await s.send("POST", "/oauth2/revoke/", { form, token });
    expect([status, await statusWith(token)]).toEqual([200, 403]);
  });

  it("ends the session of a device, whose application has no secret", async () => {
    const client_id = "asi-command";
    const begun = await s.send("POST", "/oauth2/device_authorization/", { form: { client_id } });
    const { device_code, user_code: code } = begun.body;
    await s.post("/api/v2/device-sign-ins/decide/", { code, approve: true }, ann.token);
    const form = { grant_type: DEVICE_GRANT, client_id, device_code };
    const { access_token } = (await s.send("POST", "/oauth2/token/", { form })).body;
    const sessions = async () =>
      (await s.get("/session/", ann.token)).body.results.filter(
        ({ application }: { application: string }) => application === "The command asi",
      ).length;
    expect(await sessions()).toBe(1);
    await revoked(client_id, oauth.None(), access_token);
    expect([await statusWith(access_token), await sessions()]).toEqual([403, 0]);
  });

  it("succeeds for a token that is unknown or has already been revoked", async () => {
    const app = await machine();
    const token = await machineToken(app);
    const proof = oauth.ClientSecretBasic(app.client_secret);
    for (let n = 0; n < 2; n++) await revoked(app.client_id, proof, token);
    await revoked(app.client_id, proof, "made-up");
  });

  it("is refused if the application cannot prove its identity, or if the token was issued to a different one", async () => {
    const [app, other] = [await machine(), await machine()];
    const token = await machineToken(app);
    const send = (form: Record<string, string>) => s.send("POST", "/oauth2/revoke/", { form });
    const { client_id } = app;
    const refused = [
      [{ token, client_id }, 401, "invalid_client"],
      [{ token, client_id, client_secret: "wrong" }, 401, "invalid_client"],
      [{ token, client_id: "nobody", client_secret: "wrong" }, 401, "invalid_client"],
      [{ token, client_id: "asi-command" }, 400, "invalid_grant"],
      [{ token, ...other }, 400, "invalid_grant"],
      [{ token }, 400, "invalid_request"],
      [{ ...app }, 400, "invalid_request"],
    ] as const;
    for (const [form, status, error] of refused) {
      const answer = await send(form as Record<string, string>);
      expect([form, answer.status, answer.body.error]).toEqual([form, status, error]);
    }
    expect(await statusWith(token)).toBe(200);
  });

  it("is refused for the applications of the page and of personal tokens", async () => {
    const token = await s.personalToken(ann, "samples:read");
    for (const client_id of [PAGE_CLIENT_ID, TOKEN_CLIENT_ID]) {
      const answer = await s.send("POST", "/oauth2/revoke/", { form: { token, client_id } });
      expect([answer.status, answer.body.error]).toEqual([401, "invalid_client"]);
    }
    expect(await statusWith(token)).toBe(200);
  });
});
