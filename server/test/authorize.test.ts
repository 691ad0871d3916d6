import { createHash, randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { createApplication } from "../src/oauth/applications.js";
import { service, startService, type TestAccount, type TestService } from "./service.js";

const redirectUri = "https://client.example/callback?x=1";
let s: TestService;
let ann: TestAccount;
let client: { clientId: string; clientSecret: string };

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
  client = await createApplication(s.ctx, { name: "Coach <b>", redirectUris: [redirectUri] });
});

const asked = (more: Record<string, string> = {}) => ({
  response_type: "code",
  client_id: client.clientId,
  redirect_uri: redirectUri,
  state: "st&te",
  ...more,
});

const authorize = (service: TestService, more: Record<string, string> = {}) =>
  service.send("POST", "/oauth2/authorize/", {
    form: { ...asked(more), username: ann.username, password: ann.password },
  });

const codeOf = async (service: TestService, more: Record<string, string> = {}) => {
  const { headers } = await authorize(service, more);
  return new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";
};

const exchange = (service: TestService, code: string, more: Record<string, string>) =>
  service.send("POST", "/oauth2/token/", {
    form: {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      client_id: client.clientId,
      ...more,
    },
  });

describe("the authorization code flow", () => {
  it("shows a login page, then redirects with a code that can be exchanged for a token once", async () => {
    const page = await s.get(`/oauth2/authorize/?${new URLSearchParams(asked())}`);
    expect(page.status).toBe(200);
    expect(page.headers.get("deprecation")).toBe("@1704067200");
    expect(page.body).toContain("Coach &lt;b&gt;");
    expect(page.body).toContain('name="state" value="st&amp;te"');
    const { status, headers } = await authorize(s);
    expect(status).toBe(302);
    const location = new URL(headers.get("location") ?? "");
    expect(location.href).toMatch(/^https:\/\/client\.example\/callback\?x=1&code=/);
    expect(location.searchParams.get("state")).toBe("st&te");
    const code = location.searchParams.get("code") ?? "";
    const secret = { client_secret: client.clientSecret };
    const bought = await exchange(s, code, secret);
    expect(bought.status).toBe(200);
    expect((await s.get("/api/v1/account/", bought.body.access_token)).body.id).toBe(ann.id);
    expect((await exchange(s, code, secret)).body.error).toBe("invalid_grant");
  });

  it("revokes the token of a code that is used again (RFC 6749 section 4.1.2)", async () => {
    const secret = { client_secret: client.clientSecret };
    const other = (await exchange(s, await codeOf(s), secret)).body;
    const code = await codeOf(s);
    const { access_token, refresh_token } = (await exchange(s, code, secret)).body;
    const refresh = (token: string) =>
      s.send("POST", "/oauth2/token/", {
        form: { grant_type: "refresh_token", refresh_token: token, client_id: client.clientId, ...secret },
      });
    const refreshed = (await refresh(refresh_token)).body;
    expect((await exchange(s, code, secret)).body.error).toBe("invalid_grant");
    for (const token of [access_token, refreshed.access_token]) {
      expect((await s.get("/api/v1/account/", token)).status).toBe(403);
    }
    expect((await refresh(refresh_token)).body.error).toBe("invalid_grant");
    expect((await s.get("/api/v1/account/", other.access_token)).status).toBe(200);
  });

  it("leaves no token valid if a code is used twice at the same time", async () => {
    const secret = { client_secret: client.clientSecret };
    for (let round = 0; round < 20; round++) {
      const code = await codeOf(s);
      const answers = await Promise.all([exchange(s, code, secret), exchange(s, code, secret)]);
      for (const { status, body } of answers) {
        if (status === 200) expect((await s.get("/api/v1/account/", body.access_token)).status).toBe(403);
        else expect(body.error).toBe("invalid_grant");
      }
    }
  });

  it("accepts PKCE instead of the secret", async () => {
    const verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
    const right = await exchange(s, await codeOf(s, pkce), { code_verifier: verifier });
    expect(right.status).toBe(200);
    const wrong = await exchange(s, await codeOf(s, pkce), {
      code_verifier: randomBytes(32).toString("base64url"),
    });
    expect(wrong.body.error).toBe("invalid_grant");
    const without = await exchange(s, await codeOf(s), { code_verifier: verifier });
    expect(without.body.error).toBe("invalid_grant");
    expect((await exchange(s, await codeOf(s), {})).body.error).toBe("invalid_request");
    const plain = await authorize(s, { code_challenge: challenge, code_challenge_method: "plain" });
    expect(plain.headers.get("location")).toContain("error=invalid_request");
  });

  it("expires a code after one minute", async () => {
    const later = await startService();
    const code = await codeOf(later);
    later.clock.advance(61_000);
    expect((await exchange(later, code, { client_secret: client.clientSecret })).body.error).toBe(
      "invalid_grant",
    );
    await later.stop();
  });

  it("never redirects to an address that the application has not registered", async () => {
    for (const wrong of [{ redirect_uri: "https://client.example/callback" }, { client_id: "other" }]) {
      const { status, headers } = await s.get(`/oauth2/authorize/?${new URLSearchParams(asked(wrong))}`);
      expect([status, headers.get("location")]).toEqual([400, null]);
    }
    const { status, body } = await s.send("POST", "/oauth2/authorize/", {
      form: { ...asked(), username: ann.username, password: "wrong" },
    });
    expect(status).toBe(200);
    expect(body).toContain("wrong");
  });
});
