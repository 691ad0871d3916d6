/** Tests that requests sent by other pages through a user's browser have no effect. */
import { describe, expect } from "vitest";
import { Browser, PAGE, withBrowsers } from "./page-browser.js";
import { type Send, startService } from "./service.js";

const it = withBrowsers();

describe("a forged request", () => {
  /** Headers of requests that another page can send through a user's browser, with or without its cookie. */
  const forgeries: [string, Record<string, string>][] = [
    ["another origin", { ...PAGE, Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" }],
    ["another origin, in an old browser", { Origin: "https://evil.example" }],
    ["a subdomain", { ...PAGE, Origin: "https://blog.asi.example.org", "Sec-Fetch-Site": "same-site" }],
    ["a link or a typed address", { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate" }],
    ["the same origin, without the header", { "Sec-Fetch-Site": "same-origin" }],
    ["the same origin, with another value", { "X-Asi-Page": "true" }],
  ];

  it.for(forgeries)(
    "reads nothing and changes nothing from %s",
    async ([_, headers], { browsers: { s, signedIn } }) => {
      const ann = await s.manager();
      const device = await s.ownedDevice(ann);
      const browser = await signedIn(ann);
      for (const [method, path, json] of [
        ["GET", "/api/v1/account/"],
        ["GET", "/session/"],
        ["PUT", `/api/v1/managers/${ann.id}/change-password/`, { password: "a password of the forger" }],
        ["POST", `/api/v1/devices/${device.id}/release-ownership/`],
        ["DELETE", "/session/"],
      ] as const) {
        const { status, headers: sent } = await browser.send(method, path, { json, headers });
        expect([path, status, sent.get("x-error-code")]).toEqual([path, 403, "not_authenticated"]);
      }
      const own = await browser.send("GET", "/api/v1/devices/?current=true");
      expect([own.status, own.body.count]).toEqual([200, 1]);
    },
  );

  it.for(forgeries)("does not sign anyone in from %s", async ([_, headers], { browsers: { s } }) => {
    const ann = await s.manager();
    const { username, password } = ann;
    const answer = await new Browser(s).send("POST", "/session/", { json: { username, password }, headers });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
  });

  it("does not sign anyone in and changes nothing if a form sends it", async ({
    browsers: { s, signedIn },
  }) => {
    const ann = await s.manager();
    const browser = await signedIn(ann);
    const { username, password } = ann;
    const multipart = new FormData();
    multipart.append("username", username);
    const forms: Send[] = [
      { form: { username, password } },
      { body: multipart },
      { body: JSON.stringify({ username, password }), headers: { "Content-Type": "text/plain" } },
    ];
    for (const form of forms) {
      const answer = await s.send("POST", "/session/", {
        ...form,
        headers: { Cookie: browser.cookie ?? "", ...form.headers },
      });
      expect([answer.status >= 400, answer.headers.getSetCookie()]).toEqual([true, []]);
    }
    const device = await s.ownedDevice(ann);
    const release = await s.send("POST", `/api/v1/devices/${device.id}/release-ownership/`, {
      form: {},
      headers: { Cookie: browser.cookie ?? "" },
    });
    expect(release.status).toBe(403);
  });

  it("is not allowed by a preflight from any origin", async ({ browsers: { s } }) => {
    for (const origin of ["https://evil.example", "https://blog.asi.example.org", "null"]) {
      for (const path of ["/session/", "/api/v1/account/"]) {
        const { headers } = await s.send("OPTIONS", path, {
          headers: {
            Origin: origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "x-asi-page, content-type",
          },
        });
        const granted = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
        expect([origin, path, granted]).toEqual([origin, path, []]);
      }
    }
  });

  it.for([["https://app.example.org"], ["*"]] as const)(
    "is not accepted with the cookie from a page that may use the API (CORS_ORIGINS=%s)",
    async ([origins], { browsers: { s, signedIn } }) => {
      const ann = await s.manager();
      const open = await startService({ corsOrigins: [origins] });
      const browser = await signedIn(ann, open);
      const Origin = "https://app.example.org";
      const preflight = await open.send("OPTIONS", "/session/", {
        headers: {
          Origin,
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "x-asi-page",
        },
      });
      expect(preflight.headers.get("access-control-allow-origin")).toBeTruthy();
      expect(preflight.headers.get("access-control-allow-headers")).not.toMatch(/x-asi-page/i);
      expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
      for (const headers of [{ Origin }, { ...PAGE, Origin, "Sec-Fetch-Site": "cross-site" }] as Record<
        string,
        string
      >[]) {
        expect((await browser.send("GET", "/api/v1/account/", { headers })).status).toBe(403);
      }
    },
  );

  it("is authenticated only by its header if it has a header and a cookie", async ({
    browsers: { s, signedIn },
  }) => {
    const [ann, ben] = [await s.manager(), await s.manager()];
    const browser = await signedIn(ann);
    const asBen = await browser.send("GET", "/api/v1/account/", { token: ben.token });
    expect(asBen.body.username).toBe(ben.username);
    const invalid = await browser.send("GET", "/api/v1/account/", { token: "x".repeat(43) });
    expect([invalid.status, invalid.headers.get("x-error-code")]).toEqual([403, "invalid_token"]);
  });

  it("is not authenticated by a token of the wrong kind", async ({ browsers: { s, signedIn } }) => {
    const ann = await s.manager();
    const browser = await signedIn(ann);
    expect((await s.get("/api/v1/account/", browser.token)).status).toBe(403);
    browser.cookie = `asi-session=${ann.token}`;
    expect(await browser.isSignedIn()).toBe(false);
  });
});
