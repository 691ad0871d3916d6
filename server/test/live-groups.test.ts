/** Tests live data for several devices on one connection: all devices of a user, a squad, or a session. */
import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { afterEach, describe, expect } from "vitest";
import type { Context } from "../src/domain/change/context.js";
import { followDevices } from "../src/domain/raw-data/live.js";
import { openLiveConnection } from "../src/domain/raw-data/live-connection.js";
import { MAX_LIVE_DEVICES, MAX_LIVE_TIMES, ownDevices } from "../src/domain/raw-data/live-devices.js";
import { queriesOf } from "../src/store/connection/database.js";
import { assignments, devices, ownerships, permissions, squadMembers } from "../src/store/schema.js";
import { CURRENT_END } from "../src/wire/types.js";
import { EventClient, type ReceivedEvent } from "./event-source.js";
import { withOwnService } from "./file-service.js";
import type { TestAccount, TestDevice, TestService } from "./service.js";
import { guestOf, half, minute, putPeriods, SquadScene, tokenOf } from "./squad-scene.js";
import { store } from "./team.js";

// Use a shorter interval than in production, because tests should not wait.
const it = withOwnService({ livePollMs: 20, liveHeartbeatMs: 50 });

const open: EventClient[] = [];

afterEach(() => {
  for (const client of open.splice(0)) client.leave();
});

interface Following {
  by: Pick<TestAccount, "token">;
  lastEventId?: string | undefined;
}

async function follow(s: TestService, path: string, { by, lastEventId }: Following): Promise<EventClient> {
  const client = await EventClient.open(`${s.service.url}${path}`, {
    Authorization: `Bearer ${by.token}`,
    ...(lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }),
  });
  open.push(client);
  return client;
}

interface GroupData {
  device: number;
  athlete: number | null;
  samples: { "gnss.timestamp": number; "ecg.hr"?: number | null }[];
}

const dataOf = (event: ReceivedEvent | null) => event?.data as GroupData;
const timesOf = (event: ReceivedEvent | null) => dataOf(event).samples.map((one) => one["gnss.timestamp"]);

/** Waits until the connection has polled at least once. */
async function polled(client: EventClient, next: Promise<unknown>): Promise<void> {
  const before = client.comments.length;
  const ended = next.then(() => true);
  while (client.comments.length === before && !(await Promise.race([ended, sleep(10, false)])));
}

const T = Date.parse(minute(0));

const put = (s: TestService, { id }: Pick<TestDevice, "id">, ...times: number[]) =>
  store(
    s,
    id,
    times.map((t) => ({ t, speed: 3000, hr: 150 })),
  );

const changePermission = (
  s: TestService,
  athleteId: number,
  permission: "READ" | "WRITE",
  times: Partial<Pick<typeof permissions.$inferSelect, "startTime" | "expirationTime">>,
) =>
  s.store.database.queries
    .update(permissions)
    .set(times)
    .where(and(eq(permissions.athleteId, athleteId), eq(permissions.permission, permission)));

describe("live data of all devices", () => {
  it("begin with the newest sample of each device, and continue with later samples of any device", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s);
    const [one, two] = [await scene.device(), await scene.device()];
    await put(s, one, T, T + 100);
    await put(s, two, T + 500);
    const client = await follow(s, "/api/v2/live/", { by: scene.manager });
    const first = [await client.next(), await client.next()];
    expect(
      first.map((event) => [event?.event, dataOf(event).device, dataOf(event).athlete, timesOf(event)]),
    ).toEqual([
      ["samples", one.id, null, [T + 100]],
      ["samples", two.id, null, [T + 500]],
    ]);
    await put(s, two, T + 600, T + 700);
    const later = await client.next();
    expect([dataOf(later).device, timesOf(later)]).toEqual([two.id, [T + 600, T + 700]]);
    await put(s, one, T + 50, T + 200);
    const late = await client.next();
    expect([late?.event, timesOf(late)]).toEqual(["late", [T + 50]]);
    expect(timesOf(await client.next())).toEqual([T + 200]);
  });

  it("include a device from the time when it is taken until it is released", async ({ service: s }) => {
    const scene = await SquadScene.of(s);
    const one = await scene.device();
    await put(s, one, T);
    const client = await follow(s, "/api/v2/live/", { by: scene.manager });
    await client.next();
    const two = await s.ownedDevice(scene.manager);
    const nowMs = s.clock.now().getTime();
    await put(s, two, nowMs);
    expect(dataOf(await client.next()).device).toBe(two.id);
    await s.store.database.queries
      .update(ownerships)
      .set({ endTime: new Date(T + 1_000) })
      .where(and(eq(ownerships.deviceId, one.id), eq(ownerships.endTime, CURRENT_END)));
    await put(s, one, T + 100);
    await put(s, two, nowMs + 1);
    expect(dataOf(await client.next()).device).toBe(two.id);
  });

  it("arrive without gaps or repetitions at a client that reconnects repeatedly", async ({ service: s }) => {
    const scene = await SquadScene.of(s);
    const own = [await scene.device(), await scene.device(), await scene.device()];
    let nextMs = T;
    const expected = new Map<number, number[]>(own.map(({ id }) => [id, []]));
    const got = new Map<number, number[]>(own.map(({ id }) => [id, []]));
    const isComplete = () => own.every(({ id }) => got.get(id)?.length === expected.get(id)?.length);
    const add = async (device: TestDevice, count: number) => {
      const times = Array.from({ length: count }, () => (nextMs += 100));
      await put(s, device, ...times);
      expected.get(device.id)?.push(...times);
    };
    let lastEventId: string | undefined;
    let client: EventClient | undefined;
    const read = async () => {
      client ??= await follow(s, "/api/v2/live/", { by: scene.manager, lastEventId });
      const event = await client.next();
      lastEventId = event?.id;
      got.get(dataOf(event).device)?.push(...timesOf(event));
    };
    // The id of its event also records that the client has no samples of the other devices.
    await add(own[0] as TestDevice, 1);
    await read();
    const step = fc.oneof(
      fc.record({ device: fc.nat(own.length - 1), count: fc.integer({ min: 1, max: 20 }) }),
      fc.constant("read" as const),
      fc.constant("leave" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
        for (const one of steps) {
          if (typeof one === "object") await add(own[one.device] as TestDevice, one.count);
          else if (one === "leave") {
            client?.leave();
            client = undefined;
          } else if (!isComplete()) await read();
        }
        while (!isComplete()) await read();
        expect(got).toEqual(expected);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  it("continue after the first event of a poll with the samples of the other devices", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s);
    const [one, two] = [await scene.device(), await scene.device()];
    await put(s, one, T);
    await put(s, two, T + 500);
    const client = await follow(s, "/api/v2/live/", { by: scene.manager });
    const first = await client.next();
    client.leave();
    await put(s, two, T + 600);
    const again = await follow(s, "/api/v2/live/", { by: scene.manager, lastEventId: first?.id });
    const next = await again.next();
    expect([dataOf(first).device, dataOf(next).device, timesOf(next)]).toEqual([
      one.id,
      two.id,
      [T + 500, T + 600],
    ]);
    await put(s, one, T - 100);
    const late = await again.next();
    expect([late?.event, timesOf(late)]).toEqual(["late", [T - 100]]);
  });

  it("continue without the samples in a damaged chunk", async ({ service: s }) => {
    const scene = await SquadScene.of(s);
    const [one, two] = [await scene.device(), await scene.device()];
    await put(s, one, T);
    await put(s, two, T);
    await s.store.database.queries.execute(
      sql`UPDATE sample_chunks SET payload = substr(payload, 1, 10) WHERE device_id = ${one.id}`,
    );
    const client = await follow(s, "/api/v2/live/", { by: scene.manager });
    expect(dataOf(await client.next()).device).toBe(two.id);
    await put(s, one, T + 600_000);
    const later = await client.next();
    expect([dataOf(later).device, timesOf(later)]).toEqual([one.id, [T + 600_000]]);
  });

  it("accept the id of the last event in the query, for clients that cannot send headers", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s);
    const one = await scene.device();
    await put(s, one, T);
    const client = await follow(s, "/api/v2/live/", { by: scene.manager });
    const { id } = (await client.next()) ?? {};
    await put(s, one, T + 100, T + 200);
    const again = await follow(s, `/api/v2/live/?last_event_id=${id}`, { by: scene.manager });
    expect(timesOf(await again.next())).toEqual([T + 100, T + 200]);
    const wrong = await s.get("/api/v2/live/?last_event_id=2024-03-01", scene.manager.token);
    expect(wrong.status).toBe(400);
  });

  it("are refused for more devices than a connection allows, and end when the number exceeds the limit", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s);
    const { queries } = s.store.database;
    const insert = async (count: number) => {
      const rows = await queries
        .insert(devices)
        .values(
          Array.from({ length: count }, (_, i) => ({
            serialNumber: `M${scene.squad}-${count}-${i}`,
            deviceName: "Tracker",
            deviceType: "GNSS",
            createdAt: new Date(T),
          })),
        )
        .returning();
      await queries.insert(ownerships).values(
        rows.map(({ id }) => ({
          deviceId: id,
          managerId: scene.manager.id,
          startTime: new Date(T),
          endTime: CURRENT_END,
        })),
      );
    };
    await insert(MAX_LIVE_DEVICES);
    const client = await follow(s, "/api/v2/live/", { by: scene.manager });
    expect(client.status).toBe(200);
    await insert(1);
    expect(await client.end()).toBe("too_many_devices");
    const refused = await s.get("/api/v2/live/", scene.manager.token);
    expect([refused.status, refused.body.code]).toEqual([409, "too_many_devices"]);
  });

  it("need the same number of statements for one device and for fifty devices", async ({ service: s }) => {
    const counts = await Promise.all(
      [1, 50].map(async (count) => {
        const scene = await SquadScene.of(s);
        const own: TestDevice[] = [];
        for (let n = 0; n < count; n++) own.push(await scene.device());
        let sent = 0;
        const ctx: Context = {
          ...s.ctx,
          queries: queriesOf(s.store.database.pool, { logQuery: () => void sent++ }),
          caller: { ...scene.manager, role: "MANAGER", canCreateManagedAthletes: true, scopes: null },
          isSignedIn: async () => true,
        };
        const followed = followDevices(ctx, {
          target: "devices",
          connection: await openLiveConnection(ctx, "devices"),
          devices: ownDevices(ctx),
          position: new Map(),
          signal: new AbortController().signal,
          onDamaged: () => undefined,
        });
        expect((await followed.next()).value).toBeNull();
        for (const device of own) await put(s, device, T);
        sent = 0;
        const found = new Set<unknown>();
        while (found.size < count) {
          const { value } = await followed.next();
          if (value !== null && typeof value === "object") found.add(value.deviceId);
        }
        const ofPoll = sent;
        await followed.return(null);
        return ofPoll;
      }),
    );
    expect(counts[1]).toBe(counts[0]);
  });
});

describe("live data of a squad", () => {
  it("contain the names of the athletes who wear the devices", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann", "Ben"]);
    const [ann, ben] = scene.players as [(typeof scene.players)[0], (typeof scene.players)[0]];
    await put(s, ann.device, T);
    await put(s, ben.device, T);
    const path = `/api/v2/squads/${scene.squad}/live/`;
    const client = await follow(s, path, { by: scene.manager });
    const events = [await client.next(), await client.next()].map(dataOf);
    expect(events.map(({ device, athlete }) => [device, athlete])).toEqual([
      [ann.device.id, ann.athlete],
      [ben.device.id, ben.athlete],
    ]);
  });

  it("include a device only while a player wears it", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann", "Ben"]);
    const [ann, ben] = scene.players as [(typeof scene.players)[0], (typeof scene.players)[0]];
    const { queries } = s.store.database;
    await queries.delete(assignments).where(eq(assignments.athleteId, ben.athlete));
    await put(s, ann.device, T);
    await put(s, ben.device, T);
    const client = await follow(s, `/api/v2/squads/${scene.squad}/live/`, { by: scene.manager });
    expect(dataOf(await client.next()).device).toBe(ann.device.id);
    await scene.assign(ben.athlete, ben.device);
    expect(dataOf(await client.next()).device).toBe(ben.device.id);
    await queries.delete(squadMembers).where(eq(squadMembers.athleteId, ann.athlete));
    await put(s, ann.device, T + 100);
    await put(s, ben.device, T + 100);
    expect(dataOf(await client.next()).device).toBe(ben.device.id);
  });

  it("contain no samples from times without the permission of the athlete, even if it ends meanwhile", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann", "Ben"]);
    const [ann, ben] = scene.players as [(typeof scene.players)[0], (typeof scene.players)[0]];
    const { queries } = s.store.database;
    await queries
      .update(permissions)
      .set({ startTime: new Date(T + 1_000) })
      .where(eq(permissions.athleteId, ann.athlete));
    await put(s, ann.device, T, T + 1_000);
    const client = await follow(s, `/api/v2/squads/${scene.squad}/live/`, { by: scene.manager });
    expect(timesOf(await client.next())).toEqual([T + 1_000]);
    await put(s, ann.device, T + 100, T + 1_100);
    expect(timesOf(await client.next())).toEqual([T + 1_100]);
    await queries.delete(permissions).where(eq(permissions.athleteId, ann.athlete));
    await put(s, ann.device, T + 1_200);
    await put(s, ben.device, T);
    expect(dataOf(await client.next()).device).toBe(ben.device.id);
  });

  it("are refused if permissions divide the samples into more intervals than a connection allows", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const path = `/api/v2/squads/${scene.squad}/live/`;
    const { queries } = s.store.database;
    const [given] = await queries
      .delete(permissions)
      .where(eq(permissions.managerId, scene.manager.id))
      .returning();
    if (given === undefined) throw new Error("The athlete has given no permission.");
    const { id: _, ...row } = given;
    const nowMs = Date.now();
    const add = (from: number, until: number) =>
      queries.insert(permissions).values(
        Array.from({ length: until - from }, (_, i) => ({
          ...row,
          kind: "READ" as const,
          startTime: new Date(nowMs - (from + i) * 200),
          expirationTime: new Date(nowMs - (from + i) * 200 + 100),
        })),
      );
    await add(1, MAX_LIVE_TIMES + 1);
    const client = await follow(s, path, { by: scene.manager });
    expect(client.status).toBe(200);
    await add(MAX_LIVE_TIMES + 1, MAX_LIVE_TIMES + 2);
    expect(await client.end()).toBe("too_many_devices");
    expect(await s.get(path, scene.manager.token)).toMatchObject({
      status: 409,
      body: { code: "too_many_devices", detail: expect.stringContaining("5000 intervals") },
    });
  });

  it("are available only to the owner of the squad, like sample files", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [(typeof scene.players)[0]];
    const guests = [await guestOf(scene, "coach"), await guestOf(scene, "physician")];
    const paths = [`/api/v2/squads/${scene.squad}/live/`, `/api/v2/sessions/${await scene.session()}/live/`];
    for (const token of [...guests.map((guest) => guest.token), await tokenOf(scene, ann)])
      for (const path of paths) expect((await s.get(path, token)).status).toBe(403);
  });

  it("end when the squad is deleted", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const client = await follow(s, `/api/v2/squads/${scene.squad}/live/`, { by: scene.manager });
    expect((await scene.send("DELETE", `/api/v2/squads/${scene.squad}/`)).status).toBe(204);
    expect(await client.end()).toBe("not_permitted");
  });

  it("end when the same user opens another connection to the squad, but not when the user opens one to another target", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const path = `/api/v2/squads/${scene.squad}/live/`;
    const client = await follow(s, path, { by: scene.manager });
    await follow(s, "/api/v2/live/", { by: scene.manager });
    const next = client.next();
    await polled(client, next);
    await follow(s, path, { by: scene.manager });
    expect((await next)?.data).toEqual({ reason: "replaced" });
  });
});

describe("live data of a session", () => {
  it("contain the samples of all players during the session", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann", "Ben"]);
    const [ann, ben] = scene.players as [(typeof scene.players)[0], (typeof scene.players)[0]];
    const session = await scene.session();
    await put(s, ann.device, T - 1_000, T + 1_000);
    const client = await follow(s, `/api/v2/sessions/${session}/live/`, { by: scene.manager });
    const first = await client.next();
    expect([dataOf(first).athlete, timesOf(first)]).toEqual([ann.athlete, [T + 1_000]]);
    await put(s, ann.device, T - 500, Date.parse(minute(61)));
    await put(s, ben.device, T + 2_000);
    const later = await client.next();
    expect([dataOf(later).athlete, timesOf(later)]).toEqual([ben.athlete, [T + 2_000]]);
    // Samples of the device from hours later do not hide late samples of the session.
    await put(s, ann.device, ...[2, 3, 4, 5, 6].map((hours) => T + hours * 3_600_000));
    await put(s, ann.device, T + 1_100);
    expect(timesOf(await client.next())).toEqual([T + 1_100]);
  });

  it("contain the samples of a player until the permission to read them ends during the session", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [(typeof scene.players)[0]];
    const session = await scene.session();
    await changePermission(s, ann.athlete, "READ", { expirationTime: new Date(minute(30)) });
    await put(s, ann.device, Date.parse(minute(20)));
    const client = await follow(s, `/api/v2/sessions/${session}/live/`, { by: scene.manager });
    expect(timesOf(await client.next())).toEqual([Date.parse(minute(20))]);
    await put(s, ann.device, Date.parse(minute(29)), Date.parse(minute(31)));
    expect(timesOf(await client.next())).toEqual([Date.parse(minute(29))]);
  });

  it("contain a period that the remaining time frame of the whole session does not contain", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [(typeof scene.players)[0]];
    const session = await scene.session();
    await changePermission(s, ann.athlete, "WRITE", { startTime: new Date(minute(60)) });
    await scene.send("PATCH", `/api/v2/sessions/${session}/`, { end_time: minute(90) });
    const extraTime = half({ name: "Extra time", start_time: minute(60), end_time: minute(90) });
    await putPeriods(scene, `/api/v2/sessions/${session}/`, [extraTime]);
    expect(await scene.frames(session)).toHaveLength(2);
    await put(s, ann.device, Date.parse(minute(70)));
    const client = await follow(s, `/api/v2/sessions/${session}/live/`, { by: scene.manager });
    expect(timesOf(await client.next())).toEqual([Date.parse(minute(70))]);
  });

  it("end when the session is deleted", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const session = await scene.session();
    const client = await follow(s, `/api/v2/sessions/${session}/live/`, { by: scene.manager });
    await scene.send("DELETE", `/api/v2/sessions/${session}/`);
    expect(await client.end()).toBe("not_permitted");
  });
});
