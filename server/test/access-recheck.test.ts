/** Long responses are aborted soon after the caller loses access to their data. */
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { listActivities } from "../src/domain/activities/list.js";
import { authorize } from "../src/domain/change/access.js";
import { RECHECK_MS } from "../src/domain/change/access-recheck.js";
import type { Context } from "../src/domain/change/context.js";
import {
  type ComputedTimeframe,
  retrieveActivityComputedData,
  retrieveComputedData,
} from "../src/domain/computed-data/retrieve.js";
import { accountCaller, addressCaller } from "../src/fairness/callers.js";
import { commands } from "../src/operator/commands.js";
import { permissions } from "../src/store/schema.js";
import { startService, type TestAccount, type TestService } from "./service.js";
import { grant, schemaId, Team } from "./team.js";

let s: TestService;
beforeAll(async () => {
  s = await startService();
});

const contextOf = ({ id, username }: TestAccount, isSignedIn: () => Promise<boolean>): Context => ({
  ...s.ctx,
  caller: { id, role: "MANAGER", username, canCreateManagedAthletes: false, scopes: null },
  isSignedIn,
});

describe("a response that is being sent", () => {
  it("is aborted when its caller is signed out (export)", async () => {
    const person = await s.athlete();
    // The export must be larger than the buffers between the service and a waiting client.
    await s.store.database.queries.execute(sql`
      INSERT INTO audit_log (at, account_id, operation, entity, entity_id, after, request_id)
      SELECT now(), ${person.id}, 'test', 'account', ${person.id},
        jsonb_build_object('noise', (SELECT string_agg(md5(random()::text || n || m), '') FROM generate_series(1, 30000) AS m)), ''
      FROM generate_series(1, 40) AS n`);
    const response = await fetch(`${s.service.url}/api/v1/athletes/${person.id}/export/`, {
      headers: { Authorization: `Bearer ${person.token}` },
    });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await commands["session revoke"](s.ctx, { username: person.username });
    s.clock.advance(RECHECK_MS);
    const rest = async () => {
      while ((await reader?.read())?.done === false);
    };
    await expect(rest()).rejects.toThrow("terminated");
  });

  it("is aborted when its caller is signed out (page of large results)", async () => {
    const ann = await s.manager();
    const json_schema = await schemaId(s, "activity_soccer");
    for (const name of ["a", "b", "c"]) {
      // The data does not compress, so the service reads each part separately.
      const gpx = `<gpx>${randomBytes(512 * 1024).toString("hex")}</gpx>`;
      const sent = { name, json: { sport: "soccer", gpx }, json_schema, owner: ann.id };
      expect((await s.post("/api/v1/activities/", sent, ann.token)).status).toBe(201);
    }
    let signedIn = true;
    const read = async (signOutAfter: number) => {
      signedIn = true;
      const page = await listActivities(
        contextOf(ann, async () => signedIn),
        {},
      );
      let pieces = 0;
      for await (const _ of page.json()) {
        pieces += 1;
        if (pieces !== signOutAfter) continue;
        signedIn = false;
        s.clock.advance(RECHECK_MS);
      }
      return pieces;
    };
    expect(await read(Number.POSITIVE_INFINITY)).toBe(5);
    await expect(read(2)).rejects.toMatchObject({ kind: "unauthenticated" });
  });
});

describe("a request that has waited since its right was checked", () => {
  /** Sends a GET that waits for memory for its response. @returns a function that ends the wait and returns the response */
  async function waiting(path: string, by: TestAccount) {
    const { small, large } = s.service.app.responseBudgets;
    const ended = new AbortController();
    const held = [small, large].map((budget) =>
      budget.open(accountCaller(by.id), addressCaller("127.0.0.1").group, () => {}),
    );
    const { responseMemoryPerCallerBytes: bytes } = s.config;
    const [ofSmall, ofLarge] = held;
    await ofSmall?.reserve(bytes / 4, ended.signal);
    await ofLarge?.reserve((bytes * 3) / 4, ended.signal);
    const response = s.get(path, by.token);
    await expect.poll(() => small.waiting + large.waiting).toBe(1);
    return () => {
      for (const share of held) share.release();
      return response;
    };
  }

  async function readable() {
    const team = await Team.of(s);
    const reader = await s.manager();
    await grant(s, team.athlete, reader.id, "READ", "2020-01-01", "2999-01-01");
    const path = `/api/v1/athletes/${team.athlete}/`;
    expect((await s.get(path, reader.token)).status).toBe(200);
    return { reader, path };
  }

  const withdraw = ({ id }: TestAccount) =>
    s.store.database.queries.delete(permissions).where(sql`${permissions.managerId} = ${id}`);

  it("is refused if the permission was withdrawn", async () => {
    const { reader, path } = await readable();
    const end = await waiting(path, reader);
    await withdraw(reader);
    s.clock.advance(RECHECK_MS);
    expect((await end()).status).toBe(403);
  });

  it("is refused if the caller was signed out", async () => {
    const ann = await s.manager();
    const end = await waiting("/api/v2/samples/?format=csv", ann);
    await commands["session revoke"](s.ctx, { username: ann.username });
    s.clock.advance(RECHECK_MS);
    expect((await end()).status).toBe(401);
  });

  it("is answered if the caller still has the right", async () => {
    const { reader, path } = await readable();
    const end = await waiting(path, reader);
    s.clock.advance(RECHECK_MS);
    expect((await end()).status).toBe(200);
  });
});

describe("a response that takes a long time to compute", () => {
  it("omits data that the caller can no longer read when it is ready", async () => {
    const team = await Team.of(s);
    const reader = await s.manager();
    await grant(s, team.athlete, reader.id, "READ", "2020-01-01", "2999-01-01");
    await team.run(0, 60, 3000);
    const frames = [await team.frame(0, 20), await team.frame(20, 40), await team.frame(40, 60)];
    for (const frame of frames) expect((await team.computed(frame)).status).toBe(200);
    const ctx = contextOf(reader, async () => true);
    const activity = { id: team.activity, ownerId: team.manager.id };
    const retrieve = async () => {
      const { answer } = await retrieveActivityComputedData(ctx, activity as never, {});
      return (answer as ComputedTimeframe[]).map(({ timeframe }) => timeframe);
    };
    expect(await retrieve()).toEqual(frames);
    // The permissions are revoked while the first time frames are computed.
    ctx.isSignedIn = async () => {
      await s.store.database.queries.delete(permissions).where(sql`${permissions.managerId} = ${reader.id}`);
      return true;
    };
    ctx.clock = {
      now: () => {
        s.clock.advance(RECHECK_MS);
        return s.clock.now();
      },
    };
    expect(await retrieve()).toEqual([]);
  });

  it("is refused if the caller has lost access to all of its data when it is ready", async () => {
    const team = await Team.of(s);
    const reader = await s.manager();
    await grant(s, team.athlete, reader.id, "READ", "2020-01-01", "2999-01-01");
    const frame = await team.frame(0, 20);
    expect((await team.computed(frame)).status).toBe(200);
    const ctx = contextOf(reader, async () => true);
    const retrieve = async () => {
      const target = await authorize(ctx, "retrieveTimeframeComputedData", { timeframe: frame });
      return retrieveComputedData(ctx, target, {});
    };
    await retrieve();
    ctx.isSignedIn = async () => {
      await s.store.database.queries.delete(permissions).where(sql`${permissions.managerId} = ${reader.id}`);
      return true;
    };
    ctx.clock = {
      now: () => {
        s.clock.advance(RECHECK_MS);
        return s.clock.now();
      },
    };
    await expect(retrieve()).rejects.toMatchObject({ kind: "forbidden" });
  });

  it("never contains figures for an athlete whom the caller cannot read, even if the time frame is assigned to another athlete meanwhile", async () => {
    const racing = await startService();
    const team = await Team.of(racing);
    const other = await racing.athlete();
    const reader = await racing.manager();
    const whole = ["2020-01-01", "2999-01-01"] as const;
    await grant(racing, team.athlete, reader.id, "READ", ...whole);
    for (const kind of ["READ", "WRITE"] as const)
      await grant(racing, other.id, team.manager.id, kind, ...whole);
    await team.run(0, 100, 3000);
    const frames = [await team.frame(0, 50), await team.frame(50, 100)];
    const pathOf = (frame: number) => `/api/v1/timeframes/${frame}/computed-data/`;
    const change = async (frame: number, athlete: number) => {
      const json = { athlete };
      const { status } = await racing.send("PATCH", `/api/v1/timeframes/${frame}/`, {
        token: team.manager.token,
        json,
      });
      expect(status).toBe(200);
    };
    const { computer } = racing.service;
    const computed = computer.compute.bind(computer);
    const compute = vi.spyOn(computer, "compute");
    const [first = 0, second = 0] = frames;
    const meanwhile = (athlete: number) =>
      compute.mockImplementationOnce(async (task) => {
        await change(second, athlete);
        return computed(task);
      });
    // While the first time frame is computed, the second one is assigned to another athlete.
    meanwhile(other.id);
    const all = await racing.get(`/api/v1/activities/${team.activity}/computed-data/`, reader.token);
    expect(all.body.map(({ timeframe }: { timeframe: number }) => timeframe)).toEqual([first]);
    expect((await racing.get(pathOf(second), reader.token)).status).toBe(403);

    await change(second, team.athlete);
    meanwhile(other.id);
    expect((await racing.get(pathOf(second), reader.token)).status).toBe(403);
    await racing.stop();
  });
});
