/** Tests access from pages of other origins in browsers (Fetch Standard, "CORS protocol"). */
import { describe, expect, it } from "vitest";
import { startService } from "./service.js";

const APP = "https://app.example.org";
const OTHER = "https://other.example.org";
const PREFLIGHT = { "Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "if-match" };

const corsHeaders = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("CORS", () => {
  it("is disabled unless origins are configured: the service sends no header, and OPTIONS returns the methods", async () => {
    const s = await startService();
    const read = await s.get("/api/schema/", undefined, { Origin: APP });
    const preflight = await s.send("OPTIONS", "/api/v1/account/", { headers: { Origin: APP, ...PREFLIGHT } });
    expect([...corsHeaders(read.headers), ...corsHeaders(preflight.headers)]).toEqual([]);
    expect(preflight.headers.get("allow")).toContain("GET");
  });

  it("allows pages of configured origins to send every request and read every response, including errors", async () => {
    const s = await startService({ corsOrigins: ["http://localhost:5173", APP] });
    const { token, id } = await s.manager();
    const path = `/api/v1/managers/${id}/`;

    const preflight = await s.send("OPTIONS", path, { headers: { Origin: APP, ...PREFLIGHT } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(APP);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("If-Match");
    // A preflight request is answered before the rate limits apply, so it does not count for the address.
    expect(preflight.headers.has("ratelimit")).toBe(false);
    const options = await s.send("OPTIONS", path, { headers: { Origin: APP } });
    expect(options.headers.get("allow"), "a request without a requested method is not a preflight").toContain(
      "PATCH",
    );

    for (const [given, status] of [
      [token, 200],
      ["made-up", 403],
    ] as const) {
      const { headers, ...answer } = await s.get(path, given, { Origin: APP });
      expect([answer.status, headers.get("access-control-allow-origin")]).toEqual([status, APP]);
      expect(headers.get("access-control-expose-headers")).toContain("X-Error-Code");
    }
    const unknown = await s.get("/api/v1/nothing/", undefined, { Origin: APP });
    expect([unknown.status, unknown.headers.get("access-control-allow-origin")]).toEqual([404, APP]);
  });

  it("adds Origin to the Vary header of responses", async () => {
    const s = await startService({ corsOrigins: [APP] });
    const { token, id } = await s.manager();
    const vary = async (headers: Record<string, string>) =>
      (await s.get(`/api/v1/managers/${id}/`, token, headers)).headers.get("vary");
    expect(await vary({ Origin: APP })).toBe("Authorization, Cookie, Origin");
    expect(await vary({})).toBe("Authorization, Cookie, Origin");
  });

  it("grants nothing to other origins, and does not allow cookies for any origin", async () => {
    const named = await startService({ corsOrigins: [APP] });
    for (const origin of [OTHER, `${APP}.example.net`, "null", APP.toUpperCase()]) {
      const { status, headers } = await named.get("/api/schema/", undefined, { Origin: origin });
      expect([origin, status, corsHeaders(headers)]).toEqual([origin, 200, []]);
    }
    const all = await startService({ corsOrigins: ["*"] });
    const { headers } = await all.get("/api/schema/", undefined, { Origin: OTHER });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    for (const s of [named, all]) {
      const answer = await s.get("/api/schema/", undefined, { Origin: APP });
      expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
    }
  });
});
