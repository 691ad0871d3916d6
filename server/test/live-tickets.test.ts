/** Tests tickets for live data, which serve clients that cannot send headers. */
import { eq, lte } from "drizzle-orm";
import { afterEach, describe, expect } from "vitest";
import { hashToken } from "../src/domain/secrets/tokens.js";
import { applyRetention } from "../src/jobs/retention.js";
import { liveTickets } from "../src/store/schema.js";
import { EventClient } from "./event-source.js";
import { withOwnService } from "./file-service.js";
import { startService, type TestAccount, type TestService } from "./service.js";
import { SquadScene } from "./squad-scene.js";

const it = withOwnService({ livePollMs: 20, liveHeartbeatMs: 50 });

const open: EventClient[] = [];

afterEach(() => {
  for (const client of open.splice(0)) client.leave();
});

const create = async (s: TestService, { token }: Pick<TestAccount, "token">): Promise<string> => {
  const { status, body } = await s.post("/api/v2/live-tickets/", undefined, token);
  if (status !== 201) throw new Error(`No ticket: ${status}`);
  return body.ticket;
};

async function follow(s: TestService, ticket: string, headers = {}, path = "/api/v2/live/") {
  const client = await EventClient.open(`${s.service.url}${path}?ticket=${ticket}`, headers);
  open.push(client);
  return client;
}

const INVALID = { status: 401, body: { code: "invalid_token" } };
const use = (s: TestService, ticket: string, path = "/api/v2/live/") => s.get(`${path}?ticket=${ticket}`);

describe("a ticket for live data", () => {
  it("opens one connection, with the rights of the token", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const other = await SquadScene.of(s);
    for (const path of ["/api/v2/live/", `/api/v2/squads/${scene.squad}/live/`]) {
      const ticket = await create(s, scene.manager);
      expect((await follow(s, ticket, {}, path)).status).toBe(200);
      expect(await use(s, ticket, path)).toMatchObject(INVALID);
    }
    const hidden = await use(s, await create(s, scene.manager), `/api/v2/squads/${other.squad}/live/`);
    expect(hidden.status).toBe(404);
  });

  it("is valid for 30 seconds", async () => {
    const s = await startService();
    const ann = await s.manager();
    const { body } = await s.post("/api/v2/live-tickets/", undefined, ann.token);
    expect(Date.parse(body.expires_at) - s.clock.now().getTime()).toBeLessThanOrEqual(30_000);
    s.clock.advance(30_001);
    expect(await use(s, body.ticket)).toMatchObject(INVALID);
    await applyRetention(s.ctx);
    const expired = lte(liveTickets.expiresAt, s.clock.now());
    expect(await s.store.database.queries.$count(liveTickets, expired)).toBe(0);
  });

  it("is refused if the token has twenty valid tickets; expired tickets are removed", async () => {
    const s = await startService();
    const { token } = await s.manager();
    const make = async () => (await s.post("/api/v2/live-tickets/", undefined, token)).status;
    for (let n = 0; n < 20; n++) expect(await make()).toBe(201);
    expect(await make()).toBe(429);
    s.clock.advance(30_001);
    expect(await make()).toBe(201);
    const ofToken = eq(liveTickets.tokenHash, hashToken(token));
    expect(await s.store.database.queries.$count(liveTickets, ofToken)).toBe(1);
  });

  it("becomes invalid when its token ends, which also ends its connection", async ({ service: s }) => {
    const { username, password } = await s.manager();
    const page = { "X-Asi-Page": "1" };
    const { headers } = await s.send("POST", "/session/", { json: { username, password }, headers: page });
    const signedIn = { Cookie: headers.getSetCookie()[0]?.split(";", 1)[0] ?? "", ...page };
    const tickets: string[] = [];
    for (let n = 0; n < 2; n++) {
      const { body } = await s.send("POST", "/api/v2/live-tickets/", { headers: signedIn });
      tickets.push(body.ticket);
    }
    const client = await follow(s, tickets[0] ?? "");
    await s.send("DELETE", "/session/", { headers: signedIn });
    expect(await client.end()).toBe("signed_out");
    expect(await use(s, tickets[1] ?? "")).toMatchObject(INVALID);
  });

  it("is accepted by no other operation", async ({ service: s }) => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const ticket = await create(s, ann);
    for (const path of [`/api/v1/devices/${device.id}/live/`, "/api/v1/devices/", "/api/v2/squads/"])
      expect([403, 401]).toContain((await use(s, ticket, path)).status);
    const bearer = await s.get("/api/v2/live/", ticket);
    expect(bearer.status).toBe(401);
    expect((await follow(s, ticket)).status).toBe(200);
  });

  it("requires a personal token that can read or write samples, and has no further rights", async ({
    service: s,
  }) => {
    const ann = await s.manager();
    const sessions = await s.personalToken(ann, "sessions:read");
    expect(await s.post("/api/v2/live-tickets/", undefined, sessions)).toMatchObject({
      status: 403,
      body: { code: "insufficient_scope" },
    });
    const client = await follow(s, await create(s, { token: await s.personalToken(ann, "samples:read") }));
    expect(client.status).toBe(200);
    const writing = await create(s, { token: await s.personalToken(ann, "samples:write") });
    expect(await use(s, writing)).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
  });

  it("is stored as a hash, and is used up even if the connection is refused", async ({ service: s }) => {
    const ann = await s.manager();
    const ticket = await create(s, ann);
    const rows = await s.store.database.queries.select().from(liveTickets);
    expect(rows.some(({ ticketHash }) => Buffer.from(ticketHash).toString("base64url") === ticket)).toBe(
      false,
    );
    expect((await use(s, ticket, "/api/v2/squads/999999999/live/")).status).toBe(404);
    expect(await use(s, ticket)).toMatchObject(INVALID);
    expect(await use(s, "made-up")).toMatchObject(INVALID);
  });

  it("can be used in pages of other origins", async () => {
    const origin = "https://app.example.org";
    const s = await startService({ corsOrigins: [origin] });
    const ann = await s.manager();
    const client = await follow(s, await create(s, ann), { Origin: origin });
    expect([client.status, client.headers["access-control-allow-origin"]]).toEqual([200, origin]);
  });
});
