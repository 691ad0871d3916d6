import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { grantsOf, permittedNow } from "../src/domain/permissions/coverage.js";
import { deletePermissions } from "../src/domain/permissions/remove.js";
import { auditLog, permissions } from "../src/store/schema.js";
import { service, startService, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let fay: TestAccount;
let eve: TestAccount;
let ann: TestAccount;
let bob: TestAccount;

beforeAll(async () => {
  s = await service();
  [fay, eve, ann, bob] = await Promise.all([s.athlete(), s.athlete(), s.manager(), s.manager()]);
});

const all = (athlete: { id: number }) => `/api/v1/athletes/${athlete.id}/permissions/`;
const ofManager = (athlete: { id: number }, manager: { id: number }) =>
  `/api/v1/athletes/${athlete.id}/managers/${manager.id}/permissions/`;
const FROM = "2020-01-01T00:00:00.000Z";
const UNTIL = "2999-01-01T00:00:00.000Z";
const wanted = (permission = "READ", start_time = FROM, expiration_time = UNTIL) => ({
  permission,
  start_time,
  expiration_time,
});
const ids = (body: { results: { id: number }[] }) => body.results.map(({ id }) => id);

describe("permissions", () => {
  it("are all listed by the athlete, with is_active at the current time", async () => {
    const gus = await s.athlete();
    const given = [];
    for (const manager of [ann, bob]) {
      given.push((await s.post(ofManager(gus, manager), wanted(), gus.token)).body);
    }
    const { status, body, headers } = await s.get(all(gus), gus.token);
    expect([status, body]).toEqual([200, { count: 2, page: 1, next: null, previous: null, results: given }]);
    expect(headers.get("deprecation")).toBe("@1704067200");
    expect((await s.get(`${all(gus)}?limit=1&page=2`, gus.token)).body).toMatchObject({
      count: 2,
      next: null,
      previous: 1,
      results: [given[1]],
    });
    expect((await s.get(`${all(gus)}?page=2`, gus.token)).status).toBe(404);
    expect((await s.get(all(gus), eve.token)).status).toBe(403);
    expect((await s.get(all(gus), ann.token)).status).toBe(403);
    expect((await s.get(all({ id: 999999999 }), gus.token)).status).toBe(404);
    expect((await s.get(all(ann), gus.token)).status).toBe(404);
  });

  it("have is_active true from start_time until just before expiration_time", async () => {
    const later = await startService();
    const start = Date.now() + 3_600_000;
    const gus = await s.athlete();
    const { body } = await s.post(
      ofManager(gus, ann),
      wanted("READ", new Date(start).toISOString(), new Date(start + 3_600_000).toISOString()),
      gus.token,
    );
    expect(body.is_active).toBe(false);
    const seen = async () => [
      (await later.get(all(gus), gus.token)).body.results[0].is_active,
      (await later.get(`/api/v1/athletes/${gus.id}/`, ann.token)).status,
    ];
    expect(await seen()).toEqual([false, 403]);
    later.clock.advance(3_600_000 + 1000);
    expect(await seen()).toEqual([true, 200]);
    later.clock.advance(3_600_000);
    expect(await seen()).toEqual([false, 403]);
    await later.stop();
  });

  it("can be listed by manager", async () => {
    const gus = await s.athlete();
    const { body: mine } = await s.post(ofManager(gus, ann), wanted("SHARE"), gus.token);
    await s.post(ofManager(gus, bob), wanted(), gus.token);
    const { status, body, headers } = await s.get(ofManager(gus, ann), gus.token);
    expect([status, ids(body), body.results]).toEqual([200, [mine.id], [mine]]);
    expect(headers.get("deprecation")).toBe("@1704067200");
    expect((await s.get(ofManager(gus, { id: 999999999 }), gus.token)).status).toBe(404);
    expect((await s.get(ofManager(gus, eve), gus.token)).status).toBe(404);
    expect((await s.get(ofManager(gus, ann), eve.token)).status).toBe(403);
    expect((await s.get(ofManager(gus, ann), ann.token)).status).toBe(403);
  });

  it("are granted by the athlete, with status 200", async () => {
    const { status, body, headers } = await s.post(
      ofManager(fay, ann),
      { ...wanted("WRITE", "2024-01-01 06:00:00+0100"), is_active: false, id: 1, manager: bob.id },
      fay.token,
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(Number),
      manager: ann.id,
      athlete: fay.id,
      start_time: "2024-01-01T05:00:00.000Z",
      expiration_time: UNTIL,
      permission: "WRITE",
      is_active: true,
    });
    expect(headers.get("deprecation")).toBe("@1704067200");
    const [row] = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "permission"), eq(auditLog.entityId, body.id)));
    expect(row).toMatchObject({ operation: "createPermissions", accountId: fay.id, before: null });
    expect((await s.post(ofManager(fay, ann), wanted(), eve.token)).status).toBe(403);
    expect((await s.post(ofManager(fay, ann), wanted(), ann.token)).status).toBe(403);
    expect((await s.post(ofManager(fay, eve), wanted(), fay.token)).status).toBe(404);
  });

  it("can begin and end in any valid year", async () => {
    const gus = await s.athlete();
    for (const year of ["0001", "0012", "0020", "0031", "0049", "0050", "0099", "0100", "1899", "9998"]) {
      const times = wanted("READ", `${year}-02-03T04:05:06.007Z`, "9999-12-31T23:59:59.999Z");
      const { status, body } = await s.post(ofManager(gus, ann), times, gus.token);
      expect([status, body]).toMatchObject([200, times]);
    }
    const past = wanted("READ", "0001-01-01T00:00:00.000Z", "0049-01-01T00:00:00.000Z");
    const { body } = await s.post(ofManager(gus, bob), past, gus.token);
    expect(body).toMatchObject({ ...past, is_active: false });
    expect((await s.get(`/api/v1/athletes/${gus.id}/`, bob.token)).status).toBe(403);
  });

  it("are granted all together or not at all", async () => {
    const gus = await s.athlete();
    const three = ["READ", "WRITE", "READ"].map((kind) => wanted(kind));
    const { status, body } = await s.post(ofManager(gus, ann), three, gus.token);
    expect(status).toBe(200);
    expect(body.map(({ permission }: { permission: string }) => permission)).toEqual([
      "READ",
      "WRITE",
      "READ",
    ]);
    const refused = await s.post(
      ofManager(gus, ann),
      [wanted(), wanted("OWN"), wanted("READ", "soon")],
      gus.token,
    );
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      1: { permission: [expect.any(String)] },
      2: { start_time: [expect.any(String)] },
    });
    const reversed = await s.post(ofManager(gus, ann), [wanted(), wanted("READ", UNTIL, FROM)], gus.token);
    expect(reversed.body).toEqual({ 1: { expiration_time: ["Must be after start_time."] } });
    expect((await s.get(all(gus), gus.token)).body.count).toBe(3);
  });

  it("are refused with an error for each missing or invalid field", async () => {
    const give = (json: unknown) => s.post(ofManager(fay, ann), json, fay.token);
    expect((await give({})).body).toEqual({
      start_time: ["This field is required."],
      expiration_time: ["This field is required."],
      permission: ["This field is required."],
    });
    expect((await give(wanted("READ", UNTIL, UNTIL))).body).toHaveProperty("expiration_time");
    for (const wrong of [[], "READ", 1, null, [[]], [null], { ...wanted(), permission: "read" }]) {
      expect([wrong, (await give(wrong)).status]).toEqual([wrong, 400]);
    }
  });

  it("are granted once per idempotency key", async () => {
    const gus = await s.athlete();
    const headers = { "Idempotency-Key": randomUUID() };
    const give = () =>
      s.send("POST", ofManager(gus, ann), { token: gus.token, json: [wanted(), wanted("WRITE")], headers });
    const answers = await Promise.all([give(), give(), give()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect((await s.get(all(gus), gus.token)).body.count).toBe(2);
  });

  it("are revoked together for one manager, even if there are none", async () => {
    const gus = await s.athlete();
    await s.post(ofManager(gus, ann), [wanted(), wanted("WRITE")], gus.token);
    const { body: kept } = await s.post(ofManager(gus, bob), wanted(), gus.token);
    const revoke = (by: TestAccount, manager: { id: number } = ann) =>
      s.send("DELETE", ofManager(gus, manager), { token: by.token });
    expect((await revoke(eve)).status).toBe(403);
    expect((await revoke(ann)).status).toBe(403);
    expect((await revoke(gus, { id: 999999999 })).status).toBe(404);
    const done = await revoke(gus);
    expect([done.status, done.body, done.headers.get("deprecation")]).toEqual([204, "", "@1704067200"]);
    expect((await revoke(gus)).status).toBe(204);
    expect(ids((await s.get(all(gus), gus.token)).body)).toEqual([kept.id]);
    expect((await s.get(`/api/v1/athletes/${gus.id}/`, ann.token)).status).toBe(403);
    expect((await s.get(`/api/v1/athletes/${gus.id}/`, bob.token)).status).toBe(200);
  });

  it("are revoked together, so their effects are computed once for a manager", async () => {
    const [gus, far] = [await s.athlete(), await s.manager()];
    const { queries } = s.store.database;
    const values = { athleteId: gus.id, managerId: far.id, permission: "READ" } as const;
    const times = { startTime: new Date(FROM), expirationTime: new Date(UNTIL) };
    const rows = Array.from({ length: 250 }, () => ({ ...values, ...times }));
    await queries.insert(permissions).values(rows);
    const atATime: number[] = [];
    const announce = async (_: string, event: { revoked?: readonly object[] } | object) => {
      if ("revoked" in event) atATime.push(event.revoked?.length ?? 0);
    };
    await deletePermissions({ queries, announce }, eq(permissions.managerId, far.id));
    expect(atATime).toEqual([250]);
    expect(await queries.$count(permissions, eq(permissions.managerId, far.id))).toBe(0);
  });

  it("are revoked individually together with the name of the manager", async () => {
    const gus = await s.athlete();
    const { body } = await s.post(ofManager(gus, ann), [wanted(), wanted("WRITE")], gus.token);
    const [first, second] = body.map(({ id }: { id: number }) => id);
    const revoke = (id: number, by = gus, manager = ann) =>
      s.send("DELETE", `${ofManager(gus, manager)}${id}/`, { token: by.token });
    expect((await revoke(first, eve)).status).toBe(403);
    expect((await revoke(first, ann)).status).toBe(403);
    expect((await revoke(first, gus, bob)).status).toBe(404);
    const { body: foreign } = await s.post(ofManager(eve, ann), wanted(), eve.token);
    expect((await revoke(foreign.id)).status).toBe(404);
    const done = await revoke(first);
    expect([done.status, done.body, done.headers.get("deprecation")]).toEqual([204, "", "@1704067200"]);
    expect((await revoke(first)).status).toBe(404);
    expect(ids((await s.get(all(gus), gus.token)).body)).toEqual([second]);
  });

  it("cover an interval by the union of the permissions of one manager for one athlete", async () => {
    const [gus, other] = await Promise.all([s.athlete(), s.athlete()]);
    const day = (n: number) => new Date(Date.UTC(2024, 0, n));
    const give = (manager: TestAccount, kind: string, from: number, until: number) =>
      s.post(
        ofManager(gus, manager),
        wanted(kind, day(from).toISOString(), day(until).toISOString()),
        gus.token,
      );
    await give(ann, "READ", 3, 5);
    await give(ann, "WRITE", 3, 5);
    await give(bob, "READ", 3, 5);
    const { queries } = s.store.database;
    const needed = [gus, other].map(({ id }) => ({ athleteId: id, startTime: day(2), endTime: day(4) }));
    const covered = async (kind: "READ" | "WRITE") =>
      (await grantsOf(queries, ann.id, kind, needed)).cover(gus.id, day(2), day(4));
    expect(await covered("READ")).toBe(false);
    // This permission is granted later than the one that follows it in time.
    await give(ann, "READ", 1, 3);
    expect(await covered("READ")).toBe(true);
    expect(await covered("WRITE")).toBe(false);
    const grants = await grantsOf(queries, ann.id, "READ", needed);
    expect(grants.cover(other.id, day(2), day(4))).toBe(false);
    const permittedAt = async (now: Date) => [
      ...(await permittedNow(queries, ann.id, "READ", [gus.id, other.id], now)),
    ];
    expect([await permittedAt(day(4)), await permittedAt(day(5))]).toEqual([[gus.id], []]);
  });
});
