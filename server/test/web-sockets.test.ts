/** Tests live data over WebSockets. The tests of server-sent events check the content of the events, which is the same. */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import type { ClientOptions } from "ws";
import { hashToken } from "../src/domain/secrets/tokens.js";
import { accessTokens } from "../src/store/schema.js";
import { stopAfterTest } from "./cleanup.js";
import { EventClient } from "./event-source.js";
import { withOwnService } from "./file-service.js";
import { startService, type TestAccount, TestService } from "./service.js";
import { guestOf, minute, SquadScene } from "./squad-scene.js";
import { store } from "./team.js";
import { SocketClient } from "./web-socket-client.js";

const it = withOwnService({ livePollMs: 20, liveHeartbeatMs: 100 });

interface Message {
  event: string;
  id?: string;
  data: { reason?: string; device: number; athlete: number | null; samples: { "gnss.timestamp": number }[] };
}

const T = Date.parse(minute(0));

const put = (s: TestService, { id }: { id: number }, ...times: number[]) =>
  store(
    s,
    id,
    times.map((t) => ({ t, speed: 3000, hr: 150 })),
  );

const as = ({ token }: Pick<TestAccount, "token">): ClientOptions => ({
  headers: { Authorization: `Bearer ${token}` },
});
const at = (s: TestService, path = "/api/v2/live/") => `${s.service.url}${path}`;
const ticketOf = async (s: TestService, { token }: Pick<TestAccount, "token">): Promise<string> =>
  (await s.post("/api/v2/live-tickets/", undefined, token)).body.ticket;
const timesOf = (message: Message | null) => message?.data.samples.map((one) => one["gnss.timestamp"]);

describe("a WebSocket with live data", () => {
  it("gets the same events as a stream of server-sent events, with the same ids", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [(typeof scene.players)[0]];
    await put(s, ann.device, T);
    const path = `/api/v2/squads/${scene.squad}/live/`;
    const events = await EventClient.open(at(s, path), { Authorization: `Bearer ${scene.manager.token}` });
    const expected = await events.next();
    events.leave();
    const client = await SocketClient.open(at(s, path), as(scene.manager));
    expect(await client.next()).toEqual(expected);
    expect(expected?.data).toMatchObject({ athlete: ann.athlete });
    await put(s, ann.device, T - 100);
    expect(await client.next<Message>()).toMatchObject({ event: "late" });
  });

  it("continues after the last event that the client has received, without gaps or repetitions", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s);
    const device = await scene.device();
    await put(s, device, T);
    const client = await SocketClient.open(at(s), as(scene.manager));
    const first = await client.next<Message>();
    client.socket.terminate();
    await put(s, device, T + 100, T + 200);
    const again = await SocketClient.open(
      at(s, `/api/v2/live/?last_event_id=${first?.id}`),
      as(scene.manager),
    );
    expect(timesOf(await again.next<Message>())).toEqual([T + 100, T + 200]);
  });

  it("is refused before the handshake, with the same statuses as a request", async ({ service: s }) => {
    const [scene, other] = [await SquadScene.of(s, ["Ann"]), await SquadScene.of(s)];
    const path = `/api/v2/squads/${scene.squad}/live/`;
    const refusal = (by?: Pick<TestAccount, "token">, query = "") =>
      SocketClient.refusal(at(s, path + query), by === undefined ? {} : as(by));
    expect(await refusal()).toEqual({ status: 401, code: "not_authenticated" });
    expect(await refusal({ token: "made-up" })).toEqual({ status: 401, code: "invalid_token" });
    expect(await refusal(other.manager)).toEqual({ status: 404, code: "not_found" });
    expect((await refusal(await guestOf(scene, "coach"))).status).toBe(403);
    expect((await refusal(scene.manager, "?last_event_id=2024-03-01")).status).toBe(400);
    expect((await refusal(scene.manager, "?unknown=1")).status).toBe(400);
    const token = await s.personalToken(scene.manager, "sessions:read");
    expect(await refusal({ token })).toEqual({ status: 403, code: "insufficient_scope" });
  });

  it("opens only once with a ticket, and ends when the token that created the ticket ends", async ({
    service: s,
  }) => {
    const ann = await s.manager();
    const other = await s.logIn(ann.username, ann.password);
    const ticket = await ticketOf(s, { token: other });
    const client = await SocketClient.open(at(s, `/api/v2/live/?ticket=${ticket}`));
    const again = await SocketClient.refusal(at(s, `/api/v2/live/?ticket=${ticket}`));
    expect(again).toEqual({ status: 401, code: "invalid_token" });
    await s.store.database.queries.delete(accessTokens).where(eq(accessTokens.tokenHash, hashToken(other)));
    expect(await client.next()).toEqual({ event: "end", data: { reason: "signed_out" } });
    expect(await client.closed).toBe(1008);
  });

  it("does not accept the cookie of the page", async ({ service: s }) => {
    const { username, password } = await s.manager();
    const page = { "X-Asi-Page": "1" };
    const { headers } = await s.send("POST", "/session/", { json: { username, password }, headers: page });
    const Cookie = headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
    expect((await s.send("GET", "/api/v1/account/", { headers: { Cookie, ...page } })).status).toBe(200);
    const refusal = await SocketClient.refusal(at(s), { headers: { Cookie, ...page } });
    expect(refusal).toEqual({ status: 401, code: "not_authenticated" });
  });

  it("is open only to pages of the service itself and of allowed origins, even with a ticket", async () => {
    const allowed = "https://app.example.org";
    const s = await startService({ corsOrigins: [allowed] });
    const ann = await s.manager();
    const open = async (origin: string) =>
      SocketClient.open(at(s, `/api/v2/live/?ticket=${await ticketOf(s, ann)}`), { origin });
    await expect(open("https://elsewhere.example")).rejects.toEqual({
      status: 403,
      code: "permission_denied",
    });
    await expect(open("null")).rejects.toMatchObject({ status: 403 });
    for (const origin of [allowed, new URL(s.service.url ?? "").origin])
      expect((await open(origin)).socket.readyState).toBe(1);
  });

  it("closes with 1003 when the client sends a message", async ({ service: s }) => {
    const ann = await s.manager();
    for (const message of ["hello", Buffer.from([1])]) {
      const client = await SocketClient.open(at(s), as(ann));
      client.socket.send(message);
      expect(await client.closed).toBe(1003);
    }
  });

  it("closes with 1009 when the client sends a message that is too large", async ({ service: s }) => {
    const client = await SocketClient.open(at(s), as(await s.manager()));
    client.socket.send(Buffer.alloc(256 * 1024 + 1));
    expect(await client.closed).toBe(1009);
  });

  it("ends when the same user opens a stream of server-sent events, and vice versa", async ({
    service: s,
  }) => {
    const ann = await s.manager();
    const client = await SocketClient.open(at(s), as(ann));
    const events = await EventClient.open(at(s), { Authorization: `Bearer ${ann.token}` });
    expect(await client.next()).toEqual({ event: "end", data: { reason: "replaced" } });
    expect(await client.closed).toBe(1008);
    await SocketClient.open(at(s), as(ann));
    expect(await events.end()).toBe("replaced");
  });

  it("counts towards the limit of connections of a user", async ({ service: s }) => {
    const scene = await SquadScene.of(s);
    const open = async () =>
      SocketClient.open(at(s, `/api/v2/sessions/${await scene.session()}/live/`), as(scene.manager));
    for (let n = 0; n < 8; n++) await open();
    expect(await SocketClient.refusal(at(s), as(scene.manager))).toEqual({ status: 429, code: "throttled" });
  });

  it("remains open while the client answers pings, and ends when it does not", async ({ service: s }) => {
    const [ann, bob] = [await s.manager(), await s.manager()];
    const [alive, dead] = [
      await SocketClient.open(at(s), as(ann)),
      await SocketClient.open(at(s), { ...as(bob), autoPong: false }),
    ];
    let pings = 0;
    alive.socket.on("ping", () => void pings++);
    expect(await dead.closed).toBe(1006);
    while (pings < 8) await sleep(10);
    expect(alive.socket.readyState).toBe(1);
  });

  it("answers the pings of the client", async ({ service: s }) => {
    const client = await SocketClient.open(at(s), as(await s.manager()));
    const answered = new Promise((resolve) => client.socket.once("pong", (data) => resolve(String(data))));
    client.socket.ping("a");
    expect(await answered).toBe("a");
  });

  it("closes with 1001 when the process stops, and can continue in a different process", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s);
    const device = await scene.device();
    await put(s, device, T);
    const stopping = await TestService.start(s.store, { livePollMs: 20 });
    const client = await SocketClient.open(at(stopping), as(scene.manager));
    const first = await client.next<Message>();
    const stopped = stopping.stop();
    expect(await client.next()).toEqual({ event: "end", data: { reason: "stopping" } });
    expect(await client.closed).toBe(1001);
    await stopped;
    await put(s, device, T + 100);
    const again = await SocketClient.open(
      at(s, `/api/v2/live/?last_event_id=${first?.id}`),
      as(scene.manager),
    );
    expect(timesOf(await again.next<Message>())).toEqual([T + 100]);
  });

  it("does not delay the end of the process if the client does not answer", async ({ service: s }) => {
    const stopping = await TestService.start(s.store, { livePollMs: 20, shutdownTimeoutMs: 200 });
    const client = await SocketClient.open(at(stopping), as(await s.manager()));
    client.socket.pause();
    // A service that waited for the client would take 5 s.
    expect(await Promise.race([stopping.stop(), sleep(4_500, "late")])).toBeUndefined();
    client.socket.resume();
    await client.closed;
  });
});

/** Sends the headers of a request, and reads the response to its end. */
function raw(s: TestService, head: readonly string[], body = ""): Promise<string> {
  const { hostname, port } = new URL(s.service.url ?? "");
  const socket = connect(Number(port), hostname);
  stopAfterTest(async () => void socket.destroy());
  socket.write(`${[...head, "Host: x", "", ""].join("\r\n")}${body}`);
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (data) => {
      text += data;
      // Resolve at the end of the body, because the service keeps connections open.
      if (/\r\n\r\n.*\}$/s.test(text)) resolve(text);
    });
    socket.once("close", () => resolve(text));
  });
}

describe("a request with an Upgrade header", () => {
  const upgrade = (protocol: string) => ["Connection: Upgrade", `Upgrade: ${protocol}`];

  it("opens no WebSocket on other paths", async ({ service: s }) => {
    const ann = await s.manager();
    expect((await SocketClient.refusal(at(s, "/api/v2/squads/"), as(ann))).status).toBe(400);
    expect((await SocketClient.refusal(at(s, "/nowhere/"), as(ann))).status).toBe(404);
    expect((await SocketClient.refusal(at(s, "/api/v2/live-tickets/"), as(ann))).status).toBe(405);
  });

  it("is an ordinary request if it asks for a different protocol, as Java's client does", async ({
    service: s,
  }) => {
    const json = JSON.stringify({ username: "x", password: "x" });
    const length = `Content-Length: ${json.length}`;
    const type = "Content-Type: application/json";
    const head = ["POST /session/ HTTP/1.1", ...upgrade("h2c"), "X-Asi-Page: 1", type, length];
    expect(await raw(s, head, json)).toContain("x-error-code: wrong_credentials");
    expect(await raw(s, ["GET /health/live/ HTTP/1.1", ...upgrade("h2c")])).toMatch(/^HTTP\/1.1 200 /);
  });

  it("is refused without a key, and does not count towards the limit of connections", async ({
    service: s,
  }) => {
    const ann = await s.manager();
    const { serial_number } = await s.ownedDevice(ann);
    const token = `Authorization: Bearer ${ann.token}`;
    for (const path of ["/api/v2/live/", `/api/v2/devices/${serial_number}/stream/?recording=one`]) {
      for (let n = 0; n < 4; n++) {
        const answer = await raw(s, [`GET ${path} HTTP/1.1`, ...upgrade("websocket"), token]);
        expect(answer).toMatch(/^HTTP\/1.1 400 /);
      }
      const client = await SocketClient.open(at(s, path), as(ann));
      expect(client.socket.readyState).toBe(1);
    }
  });

  it("is an ordinary request if it is pipelined behind another one", async ({ service: s }) => {
    const ann = await s.manager();
    const both = [
      "GET /api/v1/account/ HTTP/1.1",
      "Host: x",
      `Authorization: Bearer ${ann.token}`,
      "",
      "GET /health/live/ HTTP/1.1",
      ...upgrade("websocket"),
    ];
    const text = await raw(s, both);
    expect(text.match(/HTTP\/1.1 200 /g)?.length ?? 0).toBeGreaterThanOrEqual(1);
    expect(text).not.toContain("HTTP/1.1 4");
  });
});
