import { connect } from "node:net";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newStore } from "./databases.js";
import { service, type TestAccount, TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
});

const managers = "/api/v1/managers/";
const email = "x@example.org";

/** Sends raw bytes that no HTTP client would send. */
function raw(bytes: string): Promise<string> {
  const { port, hostname } = new URL(s.service.url ?? "");
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("end", () => resolve(answer)).on("error", reject);
  });
}

describe("paths and methods", () => {
  it("a path without its final slash is not found and not redirected", async () => {
    const detail = "Not found: the slash at the end of the path is missing.";
    for (const path of ["/api/v1/account", "/api/v1/devices", "/oauth2/token", "/api/v1/devices/1"]) {
      const { status, body } = await s.get(path, ann.token);
      expect([path, status, body]).toEqual([path, 404, { detail }]);
    }
    expect((await s.get("/nothing/", ann.token)).body).toEqual({ detail: "Not found." });
  });

  it("HEAD responds like GET without a body; OPTIONS and a wrong method list the allowed methods", async () => {
    const head = await s.send("HEAD", "/api/v1/account/", { token: ann.token });
    expect([head.status, head.body]).toEqual([200, ""]);
    const options = await s.send("OPTIONS", `/api/v1/managers/${ann.id}/`);
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS, PATCH, PUT"]);
    const wrong = await s.send("DELETE", "/api/v1/account/", { token: ann.token });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(wrong.body).toEqual({ detail: 'Method "DELETE" not allowed.' });
  });

  it("an encoded path equals the decoded path, even with a wrong method or without its slash", async () => {
    const answer = async (method: string, path: string) => {
      const { status, headers, body } = await s.send(method, path, { token: ann.token });
      return { status, allow: headers.get("allow"), body };
    };
    for (const [method, plain, encoded] of [
      ["GET", "/api/v1/account/", "/api/v1/%61ccount/"],
      ["DELETE", "/api/v1/account/", "/api/v1/%61ccount/"],
      [
        "OPTIONS",
        `/api/v1/managers/${ann.id}/`,
        `/api/v1/managers/%3${`${ann.id}`[0]}${`${ann.id}`.slice(1)}/`,
      ],
      ["GET", "/api/v1/account", "/api/v1/accoun%74"],
    ] as const)
      expect(await answer(method, encoded)).toEqual(await answer(method, plain));
    // An encoded slash does not separate segments.
    expect((await answer("DELETE", "/api/v1%2Faccount/")).status).toBe(404);
  });

  it("no unusual path causes a server error", async () => {
    for (const path of [
      "/%",
      "/%00/",
      "/api/v1/devices/%2e%2e/",
      "/api/v1/devices/1%00/",
      "/api/v1/devices/٣/",
      "//",
    ]) {
      const { status } = await s.get(path, ann.token);
      expect([path, status]).toEqual([
        path,
        expect.toSatisfy((value: number) => value === 404 || value === 400),
      ]);
    }
    expect((await s.get(`/api/v1/managers/${"9".repeat(5000)}/`, ann.token)).status).toBe(404);
  });
});

describe("bodies", () => {
  const sendText = (body: BodyInit, type = "application/json") =>
    s.send("POST", managers, { body, headers: { "Content-Type": type } });

  it("malformed JSON is reported as such", async () => {
    for (const text of ["{", "", "nul", '{"username":"\u0001"', '{"__proto__":{"a":1}}', "\ufeff{"]) {
      const { status, body } = await sendText(text);
      expect([text, status]).toEqual([text, 400]);
      expect(body).toBeTypeOf("object");
    }
    const notUtf8 = await sendText(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expect(notUtf8.body).toEqual({ detail: "JSON parse error." });
  });

  it("a body that is not an object, or contains text that cannot be stored, is refused", async () => {
    for (const text of ["[]", "1", '"x"', "null"]) expect((await sendText(text)).status).toBe(400);
    for (const name of ["\\u0000", "\\ud800", "\\udc00x"]) {
      const { status } = await sendText(
        `{"username":"a","email":"${email}","manager_profile":{"first_name":"${name}"}}`,
      );
      expect([name, status]).toEqual([name, 400]);
    }
  });

  it("only the content types of the operation are accepted", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/xml",
      "multipart/form-data",
    ]) {
      const { status, body } = await sendText("a=b", type);
      expect([type, status, body]).toEqual([type, 415, { detail: expect.any(String) }]);
    }
    expect((await sendText("{}", "application/json; charset=latin1")).status).toBe(415);
    expect((await sendText("{}", "application/json; charset=UTF-8")).status).toBe(400);
  });

  it("a body that exceeds the limit is refused", async () => {
    const big = JSON.stringify({ username: "a", email, filler: "x".repeat(5 * 1024 * 1024) });
    const { status, body } = await sendText(big);
    expect([status, body]).toEqual([413, { detail: "The request body is too large." }]);
  });

  it("a number outside the range of a double is refused, not stored as null", async () => {
    for (const number of ["1e400", "-1E+999", "9".repeat(400), `${"9".repeat(250)}e99`]) {
      const { status, body } = await sendText(`{"username": "a", "other": [{"x": ${number}}]}`);
      expect([status, body]).toEqual([400, { detail: "The body contains a number that is too large." }]);
    }
    expect((await sendText('{"username": "a", "other": 1e300}')).body).not.toHaveProperty("detail");
  });

  it("unknown and output-only fields are ignored", async () => {
    const username = `user-${Math.random()}`;
    const { status, body } = await s.post(managers, {
      username,
      email,
      id: 1,
      role: "ADMINISTRATOR",
      other: [],
    });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty("other");
    expect(body.id).not.toBe(1);
  });

  it("X-Ignored lists unknown parameters and members, and an invalid limit", async () => {
    const named = async (answer: Promise<{ status: number; headers: Headers }>) => {
      const { status, headers } = await answer;
      return [status, headers.get("x-ignored")];
    };
    const devices = "/api/v1/devices/";
    expect(await named(s.get(`${devices}?limit=abc&colour=red`, ann.token))).toEqual([200, "limit, colour"]);
    expect(await named(s.get(`${devices}?limit=10`, ann.token))).toEqual([200, null]);
    const json = { username: `user-${Math.random()}`, email, nickname: "x" };
    expect(await named(s.post(managers, json))).toEqual([201, "nickname"]);
    // A refused request lists them too, because the wrong name may be the reason.
    expect(await named(s.post(managers, { user_name: "x", email }))).toEqual([400, "user_name"]);
  });

  it("a response is refused if the Accept header excludes its type", async () => {
    expect((await s.get("/api/v1/account/", ann.token, { Accept: "text/html" })).status).toBe(406);
    expect((await s.get("/api/v1/account/", ann.token, { Accept: "text/html, */*;q=0.1" })).status).toBe(200);
    expect((await s.get("/api/v1/account/", ann.token, { Accept: "application/json;q=0" })).status).toBe(406);
  });

  it("bytes that are not HTTP receive an error in plain text", async () => {
    const garbage = await raw("GARBAGE\r\n\r\n");
    expect(garbage).toMatch(/^HTTP\/1\.1 400 /);
    expect(garbage).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
    expect(JSON.parse(garbage.split("\r\n\r\n")[1] ?? "")).toEqual({
      detail: "The request could not be read.",
    });
    expect(await raw("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    // The request must arrive completely: closing a connection with unread bytes resets it and loses the response.
    expect(await raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });
});

describe("every response", () => {
  it("has a request id, which is the caller's own if it is harmless", async () => {
    const own = await s.get("/api/v1/account/", ann.token, { "X-Request-Id": "abc-123" });
    expect(own.headers.get("x-request-id")).toBe("abc-123");
    const other = await s.get("/api/v1/account/", ann.token, { "X-Request-Id": "a b<script>" });
    expect(other.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    for (const path of ["/api/v1/devices/%zz/", `/api/v1/jobs/${"x".repeat(300)}/`]) {
      const refused = await s.get(path, ann.token);
      expect(refused.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it("has security headers and is not cached", async () => {
    const { headers } = await s.get("/api/v1/account/", ann.token);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("contains a stable code if it is an error", async () => {
    expect((await s.get("/api/v1/account/")).headers.get("x-error-code")).toBe("not_authenticated");
    expect((await s.get("/api/v1/nothing/")).headers.get("x-error-code")).toBe("not_found");
  });

  it("a token is valid only in the Authorization header, whose scheme is case-insensitive", async () => {
    expect(
      (await s.get("/api/v1/account/", undefined, { Authorization: `bearer ${ann.token}` })).status,
    ).toBe(200);
    expect((await s.get("/api/v1/account/", undefined, { Authorization: `Token ${ann.token}` })).status).toBe(
      403,
    );
    expect((await s.get(`/api/v1/account/?access_token=${ann.token}`)).status).toBe(403);
  });
});

describe("a rate limit", () => {
  // Use a separate database, because processes on the same database share their counters.
  let strict: TestService;
  let bob: TestAccount;
  let eve: TestAccount;

  beforeEach(async () => {
    strict = await TestService.start(await newStore(), {
      throttleUserPerMinute: 3,
      throttleAddressPerMinute: 12,
    });
    [bob, eve] = [await strict.manager(), await strict.manager()];
  });

  it("counts the calls of a user, and reports the remaining calls and the time to wait", async () => {
    const first = await strict.get("/api/v1/account/", bob.token);
    expect(first.headers.get("ratelimit-policy")).toBe('"user";q=3;w=60');
    expect(first.headers.get("ratelimit")).toMatch(/^"user";r=2;t=\d+$/);
    // A call that counts towards two limits reports both, even if it is refused.
    const taking = await strict.post("/api/v1/devices/take-ownership/", {}, eve.token);
    expect(taking.headers.get("ratelimit-policy")).toMatch(/^"user";q=3;w=60, "ownership";q=\d+;w=60$/);
    expect(taking.headers.get("ratelimit")).toMatch(/^"user";r=2;t=\d+, "ownership";r=\d+;t=\d+$/);
    await strict.get("/api/v1/account/", bob.token);
    await strict.get("/api/v1/account/", bob.token);
    const { status, headers, body } = await strict.get("/api/v1/account/", bob.token);
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(body.detail).toMatch(/^Request was throttled\. Expected available in \d+ seconds?\.$/);
    expect((await strict.get("/api/v1/account/", eve.token)).status).toBe(200);
  });

  it("counts unauthenticated calls by address, but never health checks", async () => {
    // Calls with a token known to the service do not count towards the limit for the address.
    await strict.get("/api/v1/account/", eve.token);
    const statuses = new Set<number>();
    for (let i = 0; i < 6; i++) {
      statuses.add((await strict.get("/api/v1/account/", "wrong")).status);
      statuses.add((await strict.get("/api/v1/account/")).status);
    }
    expect(statuses).toEqual(new Set([403, 429]));
    expect((await strict.get("/api/v1/account/", eve.token)).status).toBe(200);
    expect((await strict.get("/health/live/")).status).toBe(200);
  });
});

describe("health", () => {
  it("the service is live and ready", async () => {
    expect((await s.get("/health/live/")).body).toEqual({ status: "ok" });
    expect((await s.get("/health/ready/")).body).toEqual({ status: "ok" });
  });

  it("metrics count requests by route, on a separate port", async () => {
    await s.get("/api/v1/account/", ann.token);
    expect(await s.service.app.metrics.metrics()).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/account\/",status="200"\} \d+/,
    );
    expect((await s.get("/metrics")).status).toBe(404);
  });

  it("metrics count job runs by outcome, and report waiting jobs and their age", async () => {
    const t = await TestService.start(await newStore(), { smtpUrl: "smtp://127.0.0.1:1" });
    t.clock.stopAt(Date.now());
    const metrics = async () => {
      const text = await t.service.app.metrics.metrics();
      return (name: string) => Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]);
    };
    expect((await metrics())('asi_job_runs_total{kind="mail",outcome="failure"}')).toBe(0);
    // The registration adds a job that sends the credentials by email.
    await t.manager();
    t.clock.advance(7_000);
    const waiting = await metrics();
    expect(waiting('asi_jobs_waiting{kind="mail"}')).toBe(1);
    expect(waiting('asi_jobs_waiting{kind="compute"}')).toBe(0);
    expect(waiting('asi_jobs_delay_seconds{kind="mail"}')).toBe(7);
    // The job fails, because there is no mail server.
    await t.runJobs();
    const tried = await metrics();
    expect(tried('asi_job_runs_total{kind="mail",outcome="retry"}')).toBe(1);
    expect(tried('asi_job_run_duration_seconds_count{kind="mail"}')).toBe(1);
    expect(tried('asi_jobs_waiting{kind="mail"}')).toBe(1);
    expect(tried('asi_jobs_delay_seconds{kind="mail"}')).toBe(0);
  });
});
