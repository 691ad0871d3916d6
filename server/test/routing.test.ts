/** Tests unknown paths, and headers that determine the response before the body is read. */
import { beforeAll, describe, expect, it } from "vitest";
import { Processes } from "./processes.js";
import { walk } from "./recordings.js";
import { service, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
});

const NO_SLASH = { detail: "Not found: the slash at the end of the path is missing." };
const NOT_FOUND = { detail: "Not found." };

const multipart = () => {
  const form = new FormData();
  form.append("file", new Blob(["x"]), "a.asi");
  return form;
};
const contentTypes: [type: string, body: () => BodyInit][] = [
  ["application/x-www-form-urlencoded", () => new URLSearchParams({ grant_type: "password" })],
  ["multipart/form-data", multipart],
  ["application/json", () => "{"],
  ["text/csv", () => "a,b"],
];

describe("a path that does not exist", () => {
  it.each(contentTypes)(
    "returns 404 with a body of %s, and reports a missing trailing slash",
    async (type, body) => {
      const send = (path: string) =>
        s.send("POST", path, {
          token: ann.token,
          body: body(),
          ...(type === "multipart/form-data" ? {} : { headers: { "Content-Type": type } }),
        });
      for (const path of ["/oauth2/token", "/api/v2/files/asi-to-csv", "/api/v1/devices/1/bulk-load"]) {
        const { status, headers, body: answer } = await send(`${path}?a=/`);
        expect([path, status, answer]).toEqual([path, 404, NO_SLASH]);
        expect(headers.get("x-error-code")).toBe("not_found");
      }
      for (const path of ["/oauth2/tokens/", "/api/v1/nothing", "/api/v1/devices/x/", "//"]) {
        const { status, body: answer } = await send(path);
        expect([path, status, answer]).toEqual([path, 404, NOT_FOUND]);
      }
    },
  );

  it("is logged with its path, without the query, escaped and truncated", async () => {
    const processes = await Processes.onNewDatabase({ LOG_LEVEL: "info" });
    const running = await processes.start();
    await running.send("GET", "/api/v1/nothing%0A/?access_token=secret");
    await running.send("GET", `/${"x".repeat(3000)}/`);
    await running.send("GET", "/api/v1/devices/7/", "none");
    await running.terminate();
    const lines = running
      .output()
      .split("\n")
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line) as { path: string; status: number });
    expect(lines.map(({ path, status }) => [path, status])).toEqual([
      ["/api/v1/nothing%0A/", 404],
      [`/${"x".repeat(199)}…`, 404],
      ["/api/v1/devices/{device}/", 403],
    ]);
    expect(running.output()).not.toContain("secret");
  });
});

describe("the token endpoint", () => {
  it.each(contentTypes.slice(1))("reports invalid_request for a body of %s", async (type, body) => {
    const { clientId, clientSecret } = await s.client();
    const whole = JSON.stringify({
      grant_type: "password",
      username: ann.username,
      password: ann.password,
      client_id: clientId,
      client_secret: clientSecret,
    });
    const { status, body: answer } = await s.send("POST", "/oauth2/token/", {
      body: type === "application/json" ? whole : body(),
      ...(type === "multipart/form-data" ? {} : { headers: { "Content-Type": type } }),
    });
    expect([status, answer]).toEqual([
      400,
      { error: "invalid_request", error_description: expect.stringContaining("x-www-form-urlencoded") },
    ]);
  });

  it("accepts only forms on the login page", async () => {
    const { status } = await s.post("/oauth2/authorize/", { client_id: "x" });
    expect(status).toBe(415);
  });
});

describe("operations open to anyone", () => {
  it.each(["/api/v1/managers/", "/api/v1/athletes/"])(
    "POST %s ignores an Authorization header",
    async (path) => {
      for (const Authorization of ["Bearer expired", "Basic eDp5", "nonsense", `Bearer ${ann.token}`]) {
        const { status } = await s.send("POST", path, {
          json: { username: `u-${Math.random()}`, email: "x@example.org" },
          headers: { Authorization },
        });
        expect([Authorization, status]).toEqual([Authorization, 201]);
      }
    },
  );

  it("the documentation also ignores an Authorization header", async () => {
    expect((await s.get("/api/schema/", "expired")).status).toBe(200);
    expect((await s.get("/api/docs/", "expired")).status).toBe(200);
  });
});

describe("the Accept header", () => {
  const status = async (Accept: string) => (await s.get("/api/v1/account/", ann.token, { Accept })).status;

  it.each([
    ["*/*", 200],
    ["application/json", 200],
    ["Application/JSON; charset=UTF-8", 200],
    ["text/html, */*;q=0.1", 200],
    ["text/html;q=0, application/*", 200],
    ['text/html;note="a,b", application/json;q=0.001', 200],
    ["", 200],
    ["application/json;q=0, */*", 406],
    ["application/*;q=0.0, */*;q=0.5", 406],
    ["application/json;q=0", 406],
    ["text/html", 406],
  ])("with the value %j: %i", async (accept, expected) => {
    expect(await status(accept)).toBe(expected);
  });

  it("is ignored by the conversion", async () => {
    const form = new FormData();
    form.append("file", new Blob([Buffer.from(await walk("ROVER-1", "2024-05-11T20:30:00Z", 1))]), "a.asi");
    const { status, headers } = await s.send("POST", "/api/v2/files/asi-to-csv/", {
      token: ann.token,
      body: form,
      headers: { Accept: "application/json" },
    });
    expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  });
});

describe("entity tags", () => {
  it("are compared strongly in If-Match and weakly in If-None-Match (RFC 9110 section 13.1)", async () => {
    const path = `/api/v1/managers/${ann.id}/`;
    const etag = async () => (await s.get(path, ann.token)).headers.get("etag") ?? "";
    const change = async (given: string) =>
      (await s.send("PATCH", path, { token: ann.token, json: {}, headers: { "If-Match": given } })).status;
    const read = async (given: string) => (await s.get(path, ann.token, { "If-None-Match": given })).status;

    const tag = await etag();
    expect(await read(`W/${tag}`)).toBe(304);
    expect(await read(`"a,b", ${tag}`)).toBe(304);
    expect(await read("*")).toBe(304);
    // A header that contains the tag within another one, or without quotes, does not match.
    expect(await read(`"a,${tag.slice(1)}`)).toBe(200);
    expect(await read(tag.slice(1, -1))).toBe(200);

    expect(await change(`W/${tag}`)).toBe(412);
    expect(await change(`W/"x", W/${tag}`)).toBe(412);
    expect(await change(tag.slice(1, -1))).toBe(412);
    expect(await change("W/*")).toBe(412);
    expect(await change(`"a,b" , ${tag}`)).toBe(201);
    expect(await change(await etag())).toBe(201);
    expect(await change("*")).toBe(201);
  });
});
