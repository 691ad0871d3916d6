/** Tests that the erasure of a person leaves no trace. */
import { createHash, randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { eraseSamples } from "../src/domain/deletion/erase-samples.js";
import { commands } from "../src/operator/commands.js";
import { recordingStreams, timeframes } from "../src/store/schema.js";
import { isPostgres } from "./former-owner-scene.js";
import { hold } from "./held-locks.js";
import {
  copiesOf,
  filesWith,
  frameOfFormerOwner,
  linksTo,
  placesOf,
  Scene,
  START,
} from "./personal-data-scene.js";
import { startService, type TestService } from "./service.js";

let s: TestService;
beforeAll(async () => {
  s = await startService({ webhookAllowPrivate: true });
});

describe("the erasure of an athlete", () => {
  it("requires the password again", async () => {
    const scene = await Scene.of(s);
    const { status, body } = await scene.erase("another passphrase");
    expect([status, body]).toEqual([400, { password: ["The password is not correct."] }]);
    expect((await s.get(scene.path, scene.token)).status).toBe(200);
    const { manager, athlete } = scene.team;
    const path = `/api/v1/athletes/${athlete}/erase/`;
    expect((await s.post(path, { password: scene.password }, manager.token)).status).toBe(400);
    expect((await s.post(path, { password: manager.password }, manager.token)).status).toBe(200);
    expect((await scene.erase(manager.password, manager.token)).status).toBe(403);
  });

  it("leaves no value and no row of the person in any table or file", async () => {
    const scene = await Scene.of(s);
    const username = `${scene.mark}-user`;
    expect((await s.post("/api/v1/account/request-password-reset/", { username })).status).toBe(204);
    await s.runJobs();
    await commands["audit export"](s.ctx, { account: username });
    await transact(
      { ...s.ctx, config: { ...s.config, auditBytesPerDay: 0 } },
      "test",
      ({ audit }) => audit("account", scene.id, null, {}),
      scene.id,
    );
    expect(filesWith(s, scene.mark)).not.toEqual([]);
    expect(await linksTo(s, scene.id)).toEqual(
      expect.arrayContaining([
        "timeframes.athlete_id",
        "permissions.athlete_id",
        "refresh_tokens.account_id",
        "audit_log.account_id",
        "audit_log of account",
        "audit_log of audit",
        "audit_log athleteId",
        "audit_log accountId",
        "jobs.charged_to",
        "stored responses",
      ]),
    );
    const { status, body } = await scene.erase();
    expect(status).toBe(200);
    expect(await placesOf(s, scene.mark)).toEqual([]);
    expect(filesWith(s, scene.mark)).toEqual([]);
    expect(await linksTo(s, scene.id)).toEqual([]);
    expect(
      await placesOf(s, createHash("sha256").update(username).digest("base64url").toLowerCase()),
    ).toEqual([]);
    // The club keeps the recordings of its devices, but no data identify the wearer.
    expect(await scene.samples()).toBe(600);
    expect(body).toMatchObject({
      person: expect.stringMatching(/^[0-9a-f]{64}$/),
      rows: { account: 1, timeframes: 2, permissions: 2, sessions: 1, samples: 0 },
    });
    const { rows } = await s.store.database.queries.execute(
      sql`SELECT account_id, operation, before, after FROM audit_log
        WHERE entity = 'erasure' AND after->>'person' = ${body.person}`,
    );
    expect(rows).toEqual([
      {
        account_id: null,
        operation: "eraseAthlete",
        before: null,
        after: { person: body.person, kind: "erased", rows: body.rows },
      },
    ]);
  });

  it("removes the samples of the time frames at the operator's request, except samples that belong to other athletes because of an older time frame", async () => {
    const scene = await Scene.of(s);
    // An older time frame assigns the device from second 150 to 200 to another athlete; later time frames have no effect.
    await scene.madeFirst(await scene.frame(150, 200, scene.team.athlete));
    await scene.frame(0, 60, scene.team.athlete);
    const counted = await commands["athlete erase"](s.ctx, { id: String(scene.id) });
    expect(counted).toMatchObject({ erased: false, rows: { timeframes: 2 } });
    expect(await scene.samples()).toBe(600);
    const proof = await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
    expect(proof).toMatchObject({
      erased: true,
      rows: { timeframes: 2, samples: 60 + 30, samples_kept: 30 },
    });
    expect(await scene.samples()).toBe(600 - 90);
    expect(await linksTo(s, scene.id)).toEqual([]);
  });

  it("leaves no result with the erased samples in a time frame of another athlete, not even after retention", async () => {
    const scene = await Scene.of(s);
    const { team } = scene;
    // A later time frame of another athlete contains the same samples and others. Retention has removed some of the others.
    const other = await scene.frame(0, 600, team.athlete);
    const { body: before } = await team.computed(other);
    const lost = { startMs: START + 500_000, stopMs: START + 510_000 };
    await transact(s.ctx, "test", ({ announce }) =>
      announce("samplesExpired", { deviceId: team.device.id, removed: [lost], count: 10 }),
    );
    await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
    const { body: after } = await team.computed(other);
    // The distance is 3 m/s for 599 s without the two minutes of the person; steps to the next sample over a gap do not count.
    expect([before.total_distance, after.total_distance]).toEqual([1797, 1797 - 2 * 3 * 60 - 3]);
  });

  it("leaves no result with the samples of the person even if retention has already removed them", async () => {
    const scene = await Scene.of(s);
    const { team } = scene;
    const other = await scene.frame(0, 600, team.athlete);
    const { body: before } = await team.computed(other);
    const all = { startMs: START, stopMs: START + 600_000 };
    await transact(s.ctx, "test", async ({ announce, queries }) => {
      await queries.execute(sql`DELETE FROM sample_chunks WHERE device_id = ${team.device.id}`);
      await announce("samplesExpired", { deviceId: team.device.id, removed: [all], count: 600 });
    });
    expect((await team.computed(other)).body).toEqual(before);
    await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
    expect((await team.computed(other)).body.total_distance).toBeNull();
  });

  it("removes the samples even if a former owner of the device has time frames at the same time", async () => {
    const scene = await Scene.of(s);
    await frameOfFormerOwner(s, scene);
    const proof = await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
    expect(proof).toMatchObject({ rows: { samples: 120, samples_kept: 0 } });
    expect(await scene.samples()).toBe(600 - 120);
  });

  it.runIf(isPostgres)(
    "waits until a change of the owner ends, and keeps samples that then belong to another owner",
    async () => {
      const scene = await Scene.of(s);
      const device = scene.team.device.id;
      const change = await hold(
        s,
        `SELECT FROM devices WHERE id = ${device} FOR UPDATE;
        UPDATE ownerships SET end_time = '${new Date(START + 30_000).toISOString()}' WHERE device_id = ${device}`,
      );
      const erasure = commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
      await change.waiters(1);
      await change.release();
      expect(await erasure).toMatchObject({ rows: { samples: 30 } });
    },
  );

  it("ends the stream of the owner, but not the one of the next owner", async () => {
    const ownStream = async (isNext: boolean) => {
      const scene = await Scene.of(s);
      const { device, manager } = scene.team;
      const { id } = isNext ? await s.manager() : manager;
      await s.store.database.queries.insert(recordingStreams).values({
        deviceId: device.id,
        managerId: id,
        recording: "1",
        connection: randomUUID(),
        updatedAt: new Date(),
      });
      await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
      return s.store.database.queries.$count(recordingStreams, eq(recordingStreams.deviceId, device.id));
    };
    expect([await ownStream(false), await ownStream(true)]).toEqual([0, 1]);
  });

  it("does not end a stream if none of the times belonged to the athlete, and counts it as waiting", async () => {
    const scene = await Scene.of(s);
    const { device, manager } = scene.team;
    await s.store.database.queries.execute(sql`UPDATE timeframes SET start_time = start_time - interval '1 year',
      end_time = end_time - interval '1 year' WHERE athlete_id = ${scene.id}`);
    await s.store.database.queries.insert(recordingStreams).values({
      deviceId: device.id,
      managerId: manager.id,
      recording: "1",
      connection: randomUUID(),
      updatedAt: new Date(),
    });
    const proof = await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
    const left = await s.store.database.queries.$count(
      recordingStreams,
      eq(recordingStreams.deviceId, device.id),
    );
    expect(left).toBe(1);
    expect(proof).toMatchObject({ rows: { samples: 0, recordings_waiting: 1 } });
  });

  it("counts recordings by the managers of the devices that wait to be loaded", async () => {
    const scene = await Scene.of(s);
    const { device, manager } = scene.team;
    const next = await s.manager();
    for (const { id } of [manager, next])
      await transact(s.ctx, "test", (unit) =>
        unit.enqueue({ kind: "bulk-load", payload: { device: device.id, manager: id } }),
      );
    const proof = await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
    expect(proof).toMatchObject({ rows: { samples: 120, recordings_waiting: 1 } });
  });

  it("runs in transactions of at most ten time frames", async () => {
    const scene = await Scene.of(s);
    await copiesOf(s, scene, 250);
    const steps: number[] = [];
    const { queries } = s.ctx;
    const left = () => queries.$count(timeframes, eq(timeframes.athleteId, scene.id));
    const before = await left();
    const { removed } = await eraseSamples(queries, scene.id, async (work) => {
      const done = await transact(s.ctx, "athlete erase", work);
      steps.push(await left());
      return done;
    });
    expect([before, removed, steps]).toEqual([252, 120, [242]]);
    await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
    expect(await left()).toBe(0);
  });

  it("keeps a time frame that the manager assigns to another athlete at the same time", async () => {
    const scene = await Scene.of(s);
    const [moved] = scene.frames;
    const removed = await eraseSamples(s.ctx.queries, scene.id, async (work) => {
      const { status } = await s.send("PATCH", `/api/v1/timeframes/${moved}/`, {
        token: scene.team.manager.token,
        json: { athlete: scene.team.athlete },
      });
      expect(status).toBe(200);
      return transact(s.ctx, "athlete erase", work);
    });
    expect(removed).toEqual({ removed: 60, kept: 0, waiting: 0 });
    expect(await scene.samples()).toBe(600 - 60);
    expect((await s.get(`/api/v1/timeframes/${moved}/`, scene.team.manager.token)).status).toBe(200);
  });

  it("reports the time frames as deleted to the webhooks of their activities", async () => {
    const scene = await Scene.of(s);
    const { activity, manager } = scene.team;
    const hook = await s.post(
      `/api/v1/activities/${activity}/webhooks/`,
      {
        webhook_url: "http://127.0.0.1:9/",
        secret_token: "a secret",
        activity_events: true,
        timeframes_events: true,
      },
      manager.token,
    );
    expect(hook.status).toBe(200);
    await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
    const { rows } = await s.store.database.queries.execute<{ frame: number }>(
      sql`SELECT (data->>'timeframe_id')::int AS frame FROM webhook_deliveries
        WHERE event = 'timeframe-deleted' AND (data->>'activity_id')::int = ${activity} ORDER BY 1`,
    );
    expect(rows.map(({ frame }) => frame)).toEqual(scene.frames);
  });

  it("also removes the samples over the API if the operator has set ERASE_SAMPLES", async () => {
    const eager = await startService({ eraseSamples: true });
    const scene = await Scene.of(eager);
    const { body } = await scene.erase();
    expect(body.rows.samples).toBe(120);
    expect(await scene.samples()).toBe(480);
  });
});
