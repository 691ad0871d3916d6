import { beforeAll, describe, expect, it } from "vitest";
import { walk } from "../../server/test/recordings.js";
import { service, type TestAccount, type TestDevice, type TestService } from "../../server/test/service.js";
import { createClient, unwrap } from "../src/index.js";
import { watcher } from "./watched-client.js";

let s: TestService;
let ann: TestAccount;
let device: TestDevice;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
  device = await s.ownedDevice(ann);
});

const baseUrl = () => s.service.url ?? "";
const watched = watcher(() => ({ baseUrl: baseUrl(), token: ann.token }));

const busy = (status: number, retryAfter = "0") =>
  new Response("{}", {
    status,
    headers: { "Retry-After": retryAfter, "Content-Type": "application/json", "X-Error-Code": "busy" },
  });

describe("a request from the page whose session is always refused", () => {
  it("is repeated once, and then returns the refusal", async () => {
    let timesAsked = 0;
    let timesSent = 0;
    const client = createClient({
      baseUrl: baseUrl(),
      session: true,
      fetch(request) {
        timesSent++;
        return fetch(request);
      },
      async onSessionEnd() {
        // the user has signed in, but the cookie is not sent
        return ++timesAsked < 10;
      },
    });
    const { response } = await client.GET("/api/v1/account/");
    expect([response.status, timesAsked, timesSent]).toEqual([403, 1, 2]);
  });
});

describe("the repetition of a request", () => {
  it("waits for the time in a 429 or 503, and then returns the response", async () => {
    for (const status of [429, 503]) {
      const { client, sent } = watched(async (_, time) => (time < 3 ? busy(status) : undefined));
      expect((await unwrap(client.GET("/api/v1/account/"))).username).toBe(ann.username);
      expect(sent).toHaveLength(3);
    }
  });

  it("lets a POST whose response was lost take effect once", async () => {
    const own = await s.device();
    const { client, sent } = watched(async (request, time) => {
      if (time > 1) return undefined;
      expect((await fetch(request)).status).toBe(201);
      return busy(503);
    });
    const { serial_number, device_name } = own;
    const taken = await unwrap(
      client.POST("/api/v1/devices/take-ownership/", { body: { serial_number, device_name } }),
    );
    expect([taken.id, sent.length]).toEqual([own.id, 2]);
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[1]).toBe(keys[0]);
    const query = { device_name };
    const { count } = await unwrap(client.GET("/api/v1/device-ownerships/", { params: { query } }));
    expect(count).toBe(1);
  });

  it("sends the whole recording again for an upload", async () => {
    const recording = await walk(device.serial_number, new Date().toISOString(), 1);
    const bodies: string[] = [];
    const { client } = watched(async (request, time) => {
      bodies.push(await request.clone().text());
      return time === 1 ? busy(503) : undefined;
    });
    const { state } = await client.upload(device.id, new Blob([new Uint8Array(recording)]).stream());
    expect(state).toBe("PENDING");
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toBe(bodies[0]);
    expect(JSON.parse(bodies[0] ?? "").asi_b64).toBe(Buffer.from(recording).toString("base64"));
  });

  it("does not happen if a request could take effect twice", async () => {
    const { client, sent } = watched(async () => busy(503));
    await client.PATCH("/api/v1/managers/{manager}/", { params: { path: { manager: ann.id } }, body: {} });
    // During registration, there is no user to whom a key could belong.
    await client.POST("/api/v1/managers/", { body: { username: "x", email: "x@example.org" } });
    expect(sent.map(({ method, headers }) => [method, headers.get("idempotency-key")])).toEqual([
      ["PATCH", null],
      ["POST", null],
    ]);
  });

  it("stops after three retries, and does not happen if the waiting time in the response is missing or too long", async () => {
    const count = async (answer: Response | (() => Response), options = {}) => {
      const { client, sent } = watched(
        async () => (typeof answer === "function" ? answer() : answer.clone()),
        options,
      );
      const { response } = await client.GET("/api/v1/account/");
      return [response.status, sent.length];
    };
    expect(await count(() => busy(503))).toEqual([503, 4]);
    expect(await count(() => busy(503), { retries: 1 })).toEqual([503, 2]);
    expect(await count(() => busy(429, "61"))).toEqual([429, 1]);
    expect(await count(() => new Response("{}", { status: 503 }))).toEqual([503, 1]);
    expect(await count(() => busy(500))).toEqual([500, 1]);
    const date = new Date(Date.now() - 1000).toUTCString();
    expect(await count(() => busy(503, date))).toEqual([503, 4]);
  });

  it("ends when the caller cancels", async () => {
    const { client, sent } = watched(async () => busy(503, "60"));
    const signal = AbortSignal.timeout(30);
    await expect(client.GET("/api/v1/account/", { signal })).rejects.toThrow(/aborted|timeout/i);
    expect(sent).toHaveLength(1);
  });
});
