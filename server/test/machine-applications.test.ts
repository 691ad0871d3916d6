/**
 * Tests applications that act for a user by themselves with client credentials (RFC 6749 section 4.4), and the metadata of the
 * service.
 */
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, it } from "vitest";
import { createApplication } from "../src/oauth/applications.js";
import { commands } from "../src/operator/commands.js";
import { service, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
});

interface App {
  client_id: string;
  client_secret: string;
}

const newApp = async (user: string, ...scope: string[]) =>
  (await commands["app create"](s.ctx, { name: "Warehouse", user, scope })) as unknown as App;

const tokenOf = ({ client_id, client_secret }: App, more: Record<string, string> = {}) =>
  s.token({ client_id, client_secret, grant_type: "client_credentials", ...more });

describe("an application that acts for a user", () => {
  it("receives a token with its scopes, without a password and without a refresh token", async () => {
    const { status, body } = await tokenOf(await newApp(ann.username, "samples:read", "sessions:read"));
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^[\w-]{43}$/),
        expires_in: 36_000,
        token_type: "Bearer",
        scope: "samples:read sessions:read",
      },
    ]);
    const account = await s.get("/api/v1/account/", body.access_token);
    expect([account.status, account.body.id]).toEqual([200, ann.id]);
    expect((await s.get("/api/v1/devices/", body.access_token)).status).toBe(200);
    expect((await s.get("/api/v2/sessions/", body.access_token)).status).toBe(200);
    const refused = await s.post("/api/v2/squads/", { name: "New" }, body.access_token);
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_scope"]);
  });

  it("can request fewer scopes, but no other scopes", async () => {
    const app = await newApp(ann.username, "samples:read", "sessions:read");
    const { body } = await tokenOf(app, { scope: "sessions:read" });
    expect(body.scope).toBe("sessions:read");
    expect((await s.get("/api/v2/sessions/", body.access_token)).status).toBe(200);
    expect((await s.get("/api/v1/devices/", body.access_token)).status).toBe(403);
    for (const scope of ["sessions:write", "samples:read sessions:write", "all"]) {
      const refused = await tokenOf(app, { scope });
      expect([refused.status, refused.body.error]).toEqual([400, "invalid_scope"]);
    }
  });

  it("can use only this flow, which other applications cannot use", async () => {
    const app = await newApp(ann.username, "samples:read");
    const { username, password } = ann;
    const byPassword = await tokenOf(app, { grant_type: "password", username, password });
    expect([byPassword.status, byPassword.body.error]).toEqual([400, "unauthorized_client"]);
    const other = await s.token({ grant_type: "client_credentials" });
    expect([other.status, other.body.error]).toEqual([400, "unauthorized_client"]);
    const unproven = await tokenOf({ ...app, client_secret: "wrong" });
    expect([unproven.status, unproven.body.error]).toEqual([401, "invalid_client"]);
    const pkce = await s.token({ ...app, client_secret: "", grant_type: "client_credentials" });
    expect([pkce.status, pkce.body.error]).toEqual([400, "invalid_request"]);
    const withVerifier = await s.send("POST", "/oauth2/token/", {
      form: {
        client_id: app.client_id,
        grant_type: "client_credentials",
        code_verifier: "x".repeat(43),
      },
    });
    expect([400, 401]).toContain(withVerifier.status);
    expect(withVerifier.body.access_token).toBeUndefined();
  });

  it("loses its access when it is revoked, and when its user is disabled or deleted", async () => {
    const bob = await s.manager();
    const app = await newApp(bob.username, "samples:read");
    const { body } = await tokenOf(app);
    const isAccepted = async () => (await s.get("/api/v1/devices/", body.access_token)).status === 200;
    await commands["account disable"](s.ctx, { username: bob.username });
    expect((await tokenOf(app)).body.error).toBe("invalid_grant");
    await commands["account enable"](s.ctx, { username: bob.username });
    const again = (await tokenOf(app)).body.access_token;
    expect((await s.get("/api/v1/devices/", again)).status).toBe(200);
    await commands["account delete"](s.ctx, { username: bob.username });
    expect(await isAccepted()).toBe(false);
    expect((await tokenOf(app)).body.error).toBe("invalid_client");
    const other = await newApp(ann.username, "samples:read");
    const token = (await tokenOf(other)).body.access_token;
    await commands["app revoke"](s.ctx, { clientId: other.client_id });
    expect((await s.get("/api/v1/devices/", token)).status).not.toBe(200);
    expect((await tokenOf(other)).body.error).toBe("invalid_client");
  });

  it("loses its tokens when its secret is replaced", async () => {
    const app = await newApp(ann.username, "samples:read");
    const { access_token: token } = (await tokenOf(app)).body;
    const { client_secret } = await commands["app rotate-secret"](s.ctx, { clientId: app.client_id });
    expect((await s.get("/api/v1/devices/", token)).status).not.toBe(200);
    expect((await tokenOf(app)).body.error).toBe("invalid_client");
    expect((await tokenOf({ ...app, client_secret })).status).toBe(200);
  });

  it("is created by the operator with a user and scopes, and listed with them", async () => {
    const { client_id } = await newApp(ann.username, "samples:read", "samples:read");
    const { items } = await commands["app list"](s.ctx, {});
    expect(items.find((one) => (one as App).client_id === client_id)).toMatchObject({
      grants: ["client_credentials"],
      user: ann.username,
      scopes: ["samples:read"],
    });
    const refused = (args: Record<string, unknown>) =>
      expect(commands["app create"](s.ctx, { name: "x", ...args } as never)).rejects;
    await refused({ user: ann.username }).toMatchObject({ code: "invalid" });
    await refused({ scope: ["samples:read"] }).toMatchObject({ code: "invalid" });
    await refused({ user: ann.username, scope: ["samples"] }).toMatchObject({ code: "invalid" });
    await refused({ user: "nobody-here", scope: ["samples:read"] }).toMatchObject({ code: "not_found" });
  });
});

/** The service listens on the loopback interface without TLS. */
const OPTIONS = { [oauth.allowInsecureRequests]: true };

async function discovered(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(s.service.url ?? "");
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...OPTIONS });
  return oauth.processDiscoveryResponse(issuer, response);
}

describe("the library oauth4webapi, given only the address of the service,", () => {
  it("obtains a token with the chosen scope with client credentials, which it sends with HTTP Basic or in the form", async () => {
    const server = await discovered();
    const { client_id, client_secret } = await newApp(ann.username, "samples:read", "sessions:read");
    const client = { client_id };
    for (const proof of [oauth.ClientSecretBasic(client_secret), oauth.ClientSecretPost(client_secret)]) {
      const parameters = { scope: "samples:read" };
      const response = await oauth.clientCredentialsGrantRequest(server, client, proof, parameters, OPTIONS);
      const token = await oauth.processClientCredentialsResponse(server, client, response);
      expect([token.token_type, token.scope, token.expires_in]).toEqual(["bearer", "samples:read", 36_000]);
      const url = new URL("/api/v1/devices/", s.service.url ?? "");
      const read = await oauth.protectedResourceRequest(
        token.access_token,
        "GET",
        url,
        undefined,
        null,
        OPTIONS,
      );
      expect(read.status).toBe(200);
    }
    const wrong = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(`${client_secret}-`),
      {},
      OPTIONS,
    );
    await expect(oauth.processClientCredentialsResponse(server, client, wrong)).rejects.toMatchObject({
      cause: [{ scheme: "basic" }],
    });
  });

  it("signs a user in with an authorization code and PKCE but no secret, and cannot refresh the token without the secret", async () => {
    const server = await discovered();
    const redirect_uri = "http://127.0.0.1:9/callback";
    const { clientId: client_id } = await createApplication(s.ctx, {
      name: "Desktop",
      redirectUris: [redirect_uri],
    });
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const { headers } = await s.send("POST", "/oauth2/authorize/", {
      form: {
        client_id,
        redirect_uri,
        response_type: "code",
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        username: ann.username,
        password: ann.password,
      },
    });
    const client = { client_id };
    const callback = new URL(headers.get("location") ?? "");
    const parameters = oauth.validateAuthResponse(server, client, callback, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      redirect_uri,
      verifier,
      OPTIONS,
    );
    const token = await oauth.processAuthorizationCodeResponse(server, client, response);
    expect((await s.get("/api/v1/account/", token.access_token)).body.id).toBe(ann.id);
    const refresh_token = token.refresh_token ?? "";
    for (const more of [{}, { code_verifier: verifier }]) {
      const form = { grant_type: "refresh_token", client_id, refresh_token, ...more };
      const stolen = await s.send("POST", "/oauth2/token/", { form });
      expect([400, 401]).toContain(stolen.status);
      expect(stolen.body.access_token).toBeUndefined();
    }
  });
});

describe("HTTP Basic", () => {
  const basic = (credentials: string) =>
    s.send("POST", "/oauth2/token/", {
      form: { grant_type: "client_credentials" },
      headers: { Authorization: `Basic ${btoa(credentials)}` },
    });

  it("accepts ids and secrets whether or not the client encodes them as form values", async () => {
    const { client_id, client_secret } = await newApp(ann.username, "samples:read");
    const encoded = (text: string) => text.replace(/./g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
    for (const encode of [(text: string) => text, encoded]) {
      expect((await basic(`${encode(client_id)}:${encode(client_secret)}`)).status).toBe(200);
    }
    for (const credentials of [`${client_id}:%`, `${client_id}:%zz`, `${client_id}:%00`, "%3a:", ":", ""]) {
      const { status, body } = await basic(credentials);
      expect([credentials, 400 <= status && status < 500, body.access_token]).toEqual([
        credentials,
        true,
        undefined,
      ]);
    }
  });
});

describe("the metadata for clients", () => {
  it("names the endpoints, flows and scopes of the service (RFC 8414)", async () => {
    const { status, body } = await s.get("/.well-known/oauth-authorization-server");
    const origin = s.service.url;
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        issuer: origin,
        authorization_endpoint: `${origin}/oauth2/authorize/`,
        token_endpoint: `${origin}/oauth2/token/`,
        revocation_endpoint: `${origin}/oauth2/revoke/`,
        device_authorization_endpoint: `${origin}/oauth2/device_authorization/`,
        grant_types_supported: [
          "password",
          "refresh_token",
          "authorization_code",
          "client_credentials",
          "urn:ietf:params:oauth:grant-type:device_code",
        ],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
      }),
    ]);
    expect(body.scopes_supported).toContain("samples:read");
  });
});
