/** Tests the quotas of one account. Each test has a service with low limits. */
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { IDEMPOTENCY_LIFETIME_MS } from "../src/domain/change/idempotency.js";
import { applyRetention } from "../src/jobs/retention.js";
import { idempotencyKeys } from "../src/store/schema.js";
import { managingManager } from "./people.js";
import { recordingOf, rowAt, timesFrom, walk } from "./recordings.js";
import { type Answer, startService, type TestAccount, type TestService } from "./service.js";
import { SquadScene } from "./squad-scene.js";
import { newActivity, schemaId, Team } from "./team.js";

const refusal = ({ status, headers, body }: Answer) => [
  status,
  headers.get("x-error-code"),
  Object.keys(body),
];
const REFUSED = [400, "quota_exceeded", ["message"]];

async function createActivity(
  s: TestService,
  { id, token }: TestAccount,
  gpx = "<gpx/>",
  key?: string,
): Promise<Answer> {
  const json_schema = await schemaId(s, "activity_soccer");
  return s.send("POST", "/api/v1/activities/", {
    token,
    json: { name: "A", json: { sport: "soccer", gpx }, json_schema, owner: id },
    headers: key === undefined ? {} : { "Idempotency-Key": key },
  });
}

/** Returns text that the database can hardly compress. */
const noise = (bytes: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil((bytes * 3) / 4)))).toString("base64");

/** Returns base64 that begins like a JPEG. */
const picture = (bytes: number) =>
  Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(bytes)]).toString("base64");

describe("an account at its quota", () => {
  it("cannot store another activity, without using quotas of other accounts; a deletion frees space", async () => {
    const s = await startService({ quotaActivities: 2 });
    const [ann, bob] = [await s.manager(), await s.manager()];
    const first = await createActivity(s, ann);
    expect((await createActivity(s, ann)).status).toBe(201);
    expect(refusal(await createActivity(s, ann))).toEqual(REFUSED);
    expect((await createActivity(s, bob)).status).toBe(201);
    await s.send("DELETE", `/api/v1/activities/${first.body.id}/`, { token: ann.token });
    expect((await createActivity(s, ann)).status).toBe(201);
  });

  it("does not exceed the quota of activities, even with many concurrent requests", async () => {
    const s = await startService({ quotaActivities: 3 });
    const ann = await s.manager();
    const answers = await Promise.all(Array.from({ length: 8 }, () => createActivity(s, ann)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 400, 400, 400, 400, 400]);
  });

  it("cannot store more bytes of activities, whether created or updated; an update that reduces the size is always accepted", async () => {
    const s = await startService({ quotaActivityBytes: 100_000 });
    const ann = await s.manager();
    const { body: small } = await createActivity(s, ann);
    const { body: large } = await createActivity(s, ann, noise(80_000));
    expect(refusal(await createActivity(s, ann, noise(40_000)))).toEqual(REFUSED);
    const update = (id: number, json: object) =>
      s.send("PATCH", `/api/v1/activities/${id}/`, { token: ann.token, json });
    const withCourse = (bytes: number) => ({ json: { sport: "soccer", gpx: noise(bytes) } });
    expect(refusal(await update(small.id, withCourse(40_000)))).toEqual(REFUSED);
    expect((await update(small.id, { name: "Renamed" })).status).toBe(200);
    const less = await startService({ quotaActivityBytes: 50_000 });
    const shrunk = await less.send("PATCH", `/api/v1/activities/${large.id}/`, {
      token: ann.token,
      json: withCourse(60_000),
    });
    expect(shrunk.status).toBe(200);
  });

  it("cannot store another time frame", async () => {
    const s = await startService({ quotaTimeframes: 2 });
    const team = await Team.of(s);
    await team.frame(0, 10);
    await team.frame(20, 30);
    await expect(team.frame(40, 50)).rejects.toThrow("at most 2 time frames");
    const [{ id = 0 } = {}] = (
      await s.get(`/api/v1/timeframes/?activity=${team.activity}`, team.manager.token)
    ).body.results;
    await s.send("DELETE", `/api/v1/timeframes/${id}/`, { token: team.manager.token });
    await team.frame(40, 50);
    await expect(team.frame(60, 70)).rejects.toThrow("at most 2 time frames");
  });

  it("cannot add time frames to a full activity, whether created in it or moved to it; a deletion frees space", async () => {
    const s = await startService({ activityMaxTimeframes: 2 });
    const team = await Team.of(s);
    const { token } = team.manager;
    const first = await team.frame(0, 10);
    await team.frame(20, 30);
    const full = [400, "too_many_timeframes", ["message"]];
    expect(refusal(await team.create())).toEqual(full);
    const another = await newActivity(s, team.manager);
    const moved = await team.frame(40, 50, { activity: another });
    const move = () =>
      s.send("PATCH", `/api/v1/timeframes/${moved}/`, { token, json: { activity: team.activity } });
    expect(refusal(await move())).toEqual(full);
    expect((await s.send("DELETE", `/api/v1/timeframes/${first}/`, { token })).status).toBe(204);
    expect((await move()).status).toBe(200);
  });

  it("cannot add time frames to a device with 20,000 that begin within seven days, whether created near them or moved there", async () => {
    const s = await startService({ activityMaxTimeframes: 50_000 });
    const team = await Team.of(s);
    const { token } = team.manager;
    const first = (await team.create()).body.id;
    await s.store.database.queries.execute(sql`
      INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
      SELECT start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at
      FROM timeframes, generate_series(2, 20000) WHERE id = ${first}`);
    const full = [400, "too_many_timeframes", ["message"]];
    const week = { start_time: "2024-06-08T10:00:00Z", end_time: "2024-06-08T11:00:00Z" };
    expect(refusal(await team.create(week))).toEqual(full);
    const { status, body } = await team.create({ ...week, start_time: "2024-06-08T10:00:00.001Z" });
    expect(status).toBe(201);
    const move = (json: object) => s.send("PATCH", `/api/v1/timeframes/${body.id}/`, { token, json });
    expect(refusal(await move({ start_time: week.start_time }))).toEqual(full);
    expect((await move({ start_time: "2024-06-08T10:30:00Z" })).status).toBe(200);
    const another = await s.ownedDevice(team.manager);
    expect((await move({ ...week, device: another.id })).status).toBe(200);
  });

  it("cannot create another managed athlete", async () => {
    const s = await startService({ quotaManagedAthletes: 1 });
    const ann = await managingManager({}, "", s);
    const create = () =>
      s.post("/api/v1/athletes/create-managed/", { managed_by: ann.id, athlete_profile: {} }, ann.token);
    expect((await create()).status).toBe(201);
    expect(refusal(await create())).toEqual(REFUSED);
  });

  it("cannot grant more permissions to all managers together; a revocation frees space", async () => {
    const s = await startService({ quotaPermissions: 3 });
    const [fay, eve, ann, bob] = [await s.athlete(), await s.athlete(), await s.manager(), await s.manager()];
    const times = { start_time: "2020-01-01T00:00:00Z", expiration_time: "2999-01-01T00:00:00Z" };
    const one = { permission: "READ", ...times };
    const pathOf = (manager: TestAccount, athlete = fay) =>
      `/api/v1/athletes/${athlete.id}/managers/${manager.id}/permissions/`;
    expect((await s.post(pathOf(ann), [one, one], fay.token)).status).toBe(200);
    expect(refusal(await s.post(pathOf(bob), [one, one], fay.token))).toEqual(REFUSED);
    expect((await s.post(pathOf(bob), one, fay.token)).status).toBe(200);
    expect(refusal(await s.post(pathOf(bob), one, fay.token))).toEqual(REFUSED);
    expect((await s.post(pathOf(bob, eve), one, eve.token)).status).toBe(200);
    expect((await s.send("DELETE", pathOf(ann), { token: fay.token })).status).toBe(204);
    expect((await s.post(pathOf(bob), [one, one], fay.token)).status).toBe(200);
  });

  it("receives no further permissions from strangers; its own athletes, and strangers who have identified the manager, can still grant them", async () => {
    const s = await startService({ quotaStrangerPermissions: 3 });
    const scene = await SquadScene.of(s);
    const { manager } = scene;
    const times = { start_time: "2020-01-01T00:00:00Z", expiration_time: "2999-01-01T00:00:00Z" };
    const one = { permission: "READ", ...times };
    const grant = (athlete: TestAccount, wanted: object = one) =>
      s.post(`/api/v1/athletes/${athlete.id}/managers/${manager.id}/permissions/`, wanted, athlete.token);
    const [own, fay, eve, kim] = [await s.athlete(), await s.athlete(), await s.athlete(), await s.athlete()];
    expect((await grant(own)).status).toBe(200);
    const member = { squad: scene.squad, athlete: own.id, start_time: "2024-01-01T00:00:00Z" };
    expect((await scene.send("POST", "/api/v2/members/", member)).status).toBe(201);
    s.clock.advance(60_000);
    expect((await grant(fay, [one, one])).status).toBe(200);
    const expired = { ...one, expiration_time: "2021-01-01T00:00:00Z" };
    expect((await grant(fay, expired)).status).toBe(200);
    s.clock.advance(60_000);
    expect((await grant(eve, one)).status).toBe(200);
    const refused = await grant(eve, one);
    expect(refusal(refused)).toEqual(REFUSED);
    expect(refused.body.message).toContain("Identify the manager by number and username first.");
    expect((await grant(own, [one, one])).status).toBe(200);
    const known = { manager: manager.id, username: manager.username };
    const path = `/api/v1/athletes/${kim.id}/managers/`;
    expect((await s.post(path, known, kim.token)).status).toBe(200);
    expect((await grant(kim, [one, one, one])).status).toBe(200);
    expect(refusal(await grant(kim, one))).toEqual(REFUSED);
  });

  it("is not filled by the permissions of a few strangers; at most ten of each stranger count", async () => {
    const s = await startService({ quotaStrangerPermissions: 21 });
    const manager = await s.manager();
    const one = {
      permission: "READ",
      start_time: "2020-01-01T00:00:00Z",
      expiration_time: "2999-01-01T00:00:00Z",
    };
    const grant = (athlete: TestAccount, count: number) => {
      s.clock.advance(60_000);
      const path = `/api/v1/athletes/${athlete.id}/managers/${manager.id}/permissions/`;
      return s.post(path, Array(count).fill(one), athlete.token);
    };
    for (const athlete of [await s.athlete(), await s.athlete()])
      expect((await grant(athlete, 30)).status).toBe(200);
    const last = await s.athlete();
    expect((await grant(last, 1)).status).toBe(200);
    expect(refusal(await grant(last, 1))).toEqual(REFUSED);
  });

  it("cannot store more bytes of pictures of managed athletes, whether created or updated", async () => {
    const s = await startService({ quotaPictureBytes: 10_000 });
    const ann = await managingManager({}, "", s);
    const create = (profile: object) =>
      s.post("/api/v1/athletes/create-managed/", { managed_by: ann.id, athlete_profile: profile }, ann.token);
    expect((await create({ profile_picture: picture(5_000) })).status).toBe(201);
    expect(refusal(await create({ profile_picture: picture(5_000) }))).toEqual(REFUSED);
    const { body } = await create({});
    const update = (profile_picture: string) =>
      s.send("PATCH", `/api/v1/athletes/${body.id}/update-managed/`, {
        token: ann.token,
        json: { managed_by: ann.id, athlete_profile: { profile_picture } },
      });
    expect(refusal(await update(picture(5_000)))).toEqual(REFUSED);
    expect((await update(picture(1_000))).status).toBe(201);
  });
});

describe("the responses kept for an account's idempotency keys", () => {
  const remove = (s: TestService, { body }: Answer, { token }: TestAccount) =>
    s.send("DELETE", `/api/v1/activities/${body.id}/`, { token });

  it("take no more space than its quota, even if the created object is deleted", async () => {
    const s = await startService({ quotaResponseBytes: 100_000 });
    const [ann, bob] = [await s.manager(), await s.manager()];
    const course = noise(80_000);
    const first = await createActivity(s, ann, course, "1");
    expect((await remove(s, first, ann)).status).toBe(204);
    expect(refusal(await createActivity(s, ann, course, "2"))).toEqual(REFUSED);
    expect((await s.get("/api/v1/activities/", ann.token)).body.results).toEqual([]);
    // The service does not refuse a repetition, a small response, or a request without a key or by another account.
    expect((await createActivity(s, ann, course, "1")).body).toEqual(first.body);
    expect((await createActivity(s, ann, course)).status).toBe(201);
    expect((await createActivity(s, ann, "<gpx/>", "3")).status).toBe(201);
    expect((await createActivity(s, bob, course, "1")).status).toBe(201);
    // Space is available again after 24 hours.
    await s.store.database.queries
      .update(idempotencyKeys)
      .set({ createdAt: new Date(Date.now() - IDEMPOTENCY_LIFETIME_MS) })
      .where(eq(idempotencyKeys.accountId, ann.id));
    await applyRetention(s.ctx, { vacuums: false });
    expect((await createActivity(s, ann, course, "2")).status).toBe(201);
  });

  it("take no more space than its quota, even with many concurrent requests", async () => {
    const s = await startService({ quotaResponseBytes: 100_000 });
    const ann = await s.manager();
    const create = (_: unknown, n: number) => createActivity(s, ann, noise(40_000), `${n}`);
    const answers = await Promise.all(Array.from({ length: 5 }, create));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400]);
  });

  it("count as at least 2 KiB each, even if they compress well", async () => {
    const s = await startService({ quotaResponseBytes: 4 * 2048 });
    const ann = await s.manager();
    const create = (n: number) => createActivity(s, ann, "x".repeat(5_000), `${n}`);
    for (let n = 0; n < 4; n++) expect((await create(n)).status).toBe(201);
    expect(refusal(await create(4))).toEqual(REFUSED);
  });
});

describe("the idempotency keys of an account", () => {
  it("are limited by its quota; requests without a key and repeated requests are still accepted", async () => {
    const s = await startService({ quotaIdempotencyKeys: 2 });
    const [ann, bob] = [await s.manager(), await s.manager()];
    const first = await createActivity(s, ann, "<gpx/>", "1");
    expect((await createActivity(s, ann, "<gpx/>", "2")).status).toBe(201);
    const refused = await createActivity(s, ann, "<gpx/>", "3");
    expect(refusal(refused)).toEqual([429, "too_many_idempotency_keys", ["detail"]]);
    expect(refused.headers.get("retry-after")).toBe("600");
    expect((await createActivity(s, ann, "<gpx/>", "1")).body).toEqual(first.body);
    expect((await createActivity(s, ann)).status).toBe(201);
    expect((await createActivity(s, bob, "<gpx/>", "3")).status).toBe(201);
    // Space is available again after 24 hours.
    s.clock.advance(IDEMPOTENCY_LIFETIME_MS);
    await applyRetention(s.ctx, { vacuums: false });
    const token = await s.logIn(ann.username, ann.password);
    expect((await createActivity(s, { ...ann, token }, "<gpx/>", "3")).status).toBe(201);
  });
});

describe("the samples of an account's devices", () => {
  const START = "2024-03-01T10:00:00.000Z";
  const LATER = "2024-03-01T12:00:00.000Z";

  it("cause a bulk load over the quota to fail with a message and to store nothing", async () => {
    const s = await startService({ quotaSamples: 1_000 });
    const [ann, bob] = [await s.manager(), await s.manager()];
    const [first, second] = [await s.longOwned(ann), await s.longOwned(ann)];
    const load = async (device: typeof first, start: string, count: number, by = ann) =>
      (await s.load(device, by, await walk(device.serial_number, start, count))).body;
    expect((await load(first, START, 600)).state).toBe("SUCCESS");
    const { state, details } = await load(second, START, 600);
    expect([state, details.code]).toEqual(["FAILURE", "quota_exceeded"]);
    expect(details.message).toContain("1000 samples");
    const ranges = `/api/v1/devices/${second.id}/preprocessed-data-ranges/?start=${START}&stop=${LATER}`;
    expect((await s.get(ranges, ann.token)).body.results).toEqual([]);
    // Samples that are already stored take no space, and another account has a separate quota.
    expect((await load(first, START, 600)).state).toBe("SUCCESS");
    expect((await load(first, LATER, 300)).state).toBe("SUCCESS");
    expect((await load(await s.longOwned(bob), START, 600, bob)).state).toBe("SUCCESS");
  });

  it("are counted within its own ownerships, not those of a former owner", async () => {
    const s = await startService({ quotaSamples: 1_000 });
    const [ann, bob] = [await s.manager(), await s.manager()];
    const device = await s.longOwned(ann);
    const load = async (of: typeof device, start: string, count: number, by: TestAccount) =>
      (await s.load(of, by, await walk(of.serial_number, start, count))).body.state;
    expect(await load(device, START, 900, ann)).toBe("SUCCESS");
    expect((await s.release(device, ann)).status).toBe(204);
    expect((await s.take(device, bob)).status).toBe(201);
    // The 900 samples of the device do not belong to its current owner.
    expect(await load(await s.longOwned(bob), START, 900, bob)).toBe("SUCCESS");
    // They still count for the former owner.
    expect(await load(await s.longOwned(ann), START, 600, ann)).toBe("FAILURE");
  });

  it("count by the space that they use if they are scattered", async () => {
    const s = await startService({ quotaSamples: 1_000 });
    const ann = await s.manager();
    const device = await s.longOwned(ann);
    const scattered = await recordingOf(device.serial_number, timesFrom(START, 100, 300_000).map(rowAt));
    expect((await s.load(device, ann, scattered)).body.details.code).toBe("quota_exceeded");
  });

  it("count by the space that they use, even over several loads", async () => {
    const s = await startService({ quotaSamples: 1_000 });
    const ann = await s.manager();
    const device = await s.longOwned(ann);
    const load = async (start: string, count: number) => {
      const scattered = timesFrom(start, count, 300_000).map(rowAt);
      return (await s.load(device, ann, await recordingOf(device.serial_number, scattered))).body.state;
    };
    expect(await load("2024-03-01T10:00:00.000Z", 10)).toBe("SUCCESS");
    expect(await load("2024-03-02T10:00:00.000Z", 9)).toBe("SUCCESS");
    // More samples in the same five minutes take no more space.
    expect(await load("2024-03-01T10:00:01.000Z", 10)).toBe("SUCCESS");
    expect(await load("2024-03-03T10:00:00.000Z", 10)).toBe("FAILURE");
    expect(await load("2024-03-03T10:00:00.000Z", 1)).toBe("SUCCESS");
  });

  it("free space when a release removes them", async () => {
    const s = await startService({ quotaSamples: 1_000 });
    const ann = await s.manager();
    const device = await s.longOwned(ann);
    const ahead = new Date(s.clock.now().getTime() + 60_000).toISOString();
    expect((await s.load(device, ann, await walk(device.serial_number, ahead, 900))).body.state).toBe(
      "SUCCESS",
    );
    const other = await s.longOwned(ann);
    const load = async () =>
      (await s.load(other, ann, await walk(other.serial_number, START, 900))).body.state;
    expect(await load()).toBe("FAILURE");
    expect((await s.release(device, ann)).status).toBe(204);
    s.clock.advance(10_000);
    expect(await load()).toBe("SUCCESS");
  });
});
