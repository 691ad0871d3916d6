import { and, eq } from "drizzle-orm";
import { describe, expect, onTestFinished, vi } from "vitest";
import { backdateOwnership } from "../src/domain/ownerships/backdate.js";
import { jobs } from "../src/store/schema.js";
import { withComputedData } from "./computed-data-scene.js";
import { addUnreadableChunks } from "./dense-chunks.js";
import { startService, type TestService } from "./service.js";
import { grant, newActivity, store, Team } from "./team.js";

const ALWAYS = ["2020-01-01", "2999-01-01"] as const;

const it = withComputedData();

describe("computed data", () => {
  it("are computed after a time frame is created and after later samples are stored", async ({
    computed: { s, stored, waiting },
  }) => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    expect(await waiting(frame)).toHaveLength(1);
    await s.runJobs();
    expect(await waiting(frame)).toHaveLength(0);
    const empty = await team.computed(frame);
    expect(empty.status).toBe(200);
    expect(empty.headers.get("deprecation")).toBe("@1704067200");
    expect(empty.body).toMatchObject({ first_timestamp: null, total_distance: null, hr_max: null });
    await team.run(0, 100, 3000, 150);
    expect(await waiting(frame)).toHaveLength(1);
    await s.runJobs();
    const result = await stored(frame);
    const { body, headers } = await team.computed(frame);
    const { definition, ...figures } = JSON.parse(result?.data ?? "");
    expect(JSON.stringify(body)).toBe(JSON.stringify(figures));
    expect(body).toMatchObject({ total_distance: 299.7, max_speed: 3, average_speed: 3, hr_avg: 150 });
    expect(definition.parameters.sprint_threshold).toBe(7);
    expect(
      (
        await s.get(`/api/v1/timeframes/${frame}/computed-data/`, team.manager.token, {
          "If-None-Match": headers.get("etag") ?? "",
        })
      ).status,
    ).toBe(304);
  });

  it("have the documented keys; the definition is included on request", async ({ computed: { s } }) => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 60);
    const { token } = team.manager;
    const one = `/api/v1/timeframes/${frame}/computed-data/`;
    const all = `/api/v1/activities/${team.activity}/computed-data/`;
    const plain = await s.get(one, token);
    expect(Object.keys(plain.body)).toEqual([
      ...["first_timestamp", "last_timestamp", "last_computation"],
      ...["total_distance", "max_speed", "average_speed"],
      ...["accelerations", "decelerations", "sprint", "hid"],
      ...["time_per_speed_ranges", "distance_per_speed_ranges", "intensity"],
      ...["hr_max", "hr_min", "hr_avg", "hr_plot", "athlete_max_hr", "timePerHrZone"],
      ...["sprint_distance", "hid_distance", "has_accelerations", "too_fast"],
    ]);
    expect(plain.headers.get("x-definition-version")).toBe("5");
    const whole = await s.get(`${one}?with_definition=true`, token);
    expect(whole.body).toEqual({
      ...plain.body,
      definition: { version: 5, parameters: expect.objectContaining({ sprint_threshold: 7 }) },
    });
    expect(whole.headers.get("etag")).not.toBe(plain.headers.get("etag"));
    expect((await s.get(`${one}?with_definition=perhaps`, token)).status).toBe(400);

    const listed = await s.get(all, token);
    expect(listed.body).toEqual([{ timeframe: frame, data: plain.body }]);
    expect(listed.headers.get("x-definition-version")).toBe("5");
    expect((await s.get(`${all}?with_definition=1`, token)).body).toEqual([
      { timeframe: frame, data: whole.body },
    ]);
    const none = await s.get(
      `/api/v1/activities/${await newActivity(s, team.manager)}/computed-data/`,
      token,
    );
    expect([none.body, none.headers.get("x-definition-version")]).toEqual([[], null]);
  });

  it("are computed immediately if they are stale or are read before the job has run", async ({
    computed: { s, stored, patch },
  }) => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    await team.run(0, 100, 3000);
    expect((await team.computed(frame)).body.total_distance).toBe(299.7);
    await team.run(100, 200, 3000);
    expect((await team.computed(frame)).body.total_distance).toBe(599.7);
    await patch(team, frame, { params: { hid_thresholds: [2, 2.5] } });
    const { body } = await team.computed(frame);
    expect(body.hid.threshold_2).toMatchObject({ threshold: 2.5, values: [{ distance: 599.7 }] });
    const before = (await stored(frame))?.computedAt;
    await s.runJobs();
    expect((await stored(frame))?.computedAt).toEqual(before);
  });

  it("include only samples from within the time frame and the ownership of its owner", async ({
    computed: { s },
  }) => {
    const team = await Team.of(s);
    await s.release(team.device, team.manager);
    const later = await startService();
    later.clock.advance(180_000);
    await later.take(team.device, team.manager);
    const taken = later.clock.now().getTime();
    await later.stop();
    const frame = await team.frame(0, 600);
    await team.run(-60, 700, 3000);
    const { body } = await team.computed(frame);
    expect(body.first_timestamp).toBeGreaterThanOrEqual(taken - 1000);
    expect(body.last_timestamp).toBe(body.intensity.end_time);
    expect(body.total_distance).toBeLessThan(1800 - 100 * 3);
  });

  it("do not change with samples from outside the time frame or from another device", async ({
    computed: { s, waiting },
  }) => {
    const team = await Team.of(s);
    const other = await Team.of(s);
    const frame = await team.frame(0, 100);
    await s.runJobs();
    await team.run(101, 200, 3000);
    await other.run(0, 100, 3000);
    expect(await waiting(frame)).toHaveLength(0);
    // The end belongs to the time frame.
    await team.run(100, 100.1, 3000);
    expect(await waiting(frame)).toHaveLength(1);
  });

  it("require READ on the athlete from start to end, and no other permission", async ({
    computed: { s },
  }) => {
    const team = await Team.of(s);
    const reader = await s.manager();
    const { body } = await team.create();
    const read = async (token = reader.token) => (await team.computed(body.id, token)).status;
    expect(await read()).toBe(403);
    await grant(s, team.athlete, reader.id, "WRITE", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z");
    await grant(s, team.athlete, reader.id, "READ", "2024-06-01T10:00:00Z", "2024-06-01T10:59:59.999Z");
    expect(await read()).toBe(403);
    await grant(s, team.athlete, reader.id, "READ", "2024-06-01T10:30:00Z", "2024-06-01T11:00:00Z");
    expect(await read()).toBe(200);
    expect(await read((await s.athlete()).token)).toBe(403);
    expect((await team.computed(999_999)).status).toBe(404);
    expect((await s.get(`/api/v1/timeframes/${body.id}/`, reader.token)).status).toBe(403);
  });

  it("are returned for all time frames of an activity that the caller can read", async ({
    computed: { s },
  }) => {
    const team = await Team.of(s);
    const path = `/api/v1/activities/${team.activity}/computed-data/`;
    const reader = await s.manager();
    expect((await s.get(path, reader.token)).body).toEqual([]);
    const first = await team.frame(0, 100);
    const second = (await team.create()).body.id;
    await team.run(0, 100, 3000);
    const all = await s.get(path, team.manager.token);
    expect(all.status).toBe(200);
    expect(all.body).toEqual([
      { timeframe: first, data: (await team.computed(first)).body },
      { timeframe: second, data: (await team.computed(second)).body },
    ]);
    expect(all.body[0].data.total_distance).toBe(299.7);
    expect((await s.get(path, reader.token)).status).toBe(403);
    await grant(s, team.athlete, reader.id, "READ", "2024-06-01T00:00:00Z", "2024-06-02T00:00:00Z");
    expect((await s.get(path, reader.token)).body).toEqual([all.body[1]]);
    expect((await s.get("/api/v1/activities/999999/computed-data/", reader.token)).status).toBe(404);
  });

  it("remain available after retention has removed samples, until the samples are loaded again", async ({
    computed: { s, patch, retention },
  }) => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    await team.run(0, 100, 3000);
    const { body: last } = await team.computed(frame);
    await retention(team);
    await patch(team, frame, { params: { max_hr: 180 } });
    await s.runJobs();
    expect((await team.computed(frame)).body).toEqual(last);
    // A time frame without a result is computed from the remaining samples.
    const late = await team.frame(0, 600);
    expect((await team.computed(late)).body.total_distance).toBeNull();
    await team.run(0, 100, 3000);
    expect((await team.computed(frame)).body).toMatchObject({ total_distance: 299.7, athlete_max_hr: 180 });
  });

  it.for<
    [string, (team: Team, frame: { start_time: string; end_time: string }, s: TestService) => Promise<object>]
  >([
    [
      "athlete",
      async ({ manager }, _, s) => {
        const { id } = await s.athlete();
        for (const kind of ["READ", "WRITE"] as const) await grant(s, id, manager.id, kind, ...ALWAYS);
        return { athlete: id };
      },
    ],
    ["device", async ({ manager }, _, s) => ({ device: (await s.ownedDevice(manager)).id })],
    ["start", async (_, { end_time }) => ({ start_time: new Date(Date.parse(end_time) - 590_000) })],
    ["end", async (_, { start_time }) => ({ end_time: new Date(Date.parse(start_time) + 590_000) })],
  ])(
    "do not remain available for a different %s",
    async ([, changeOf], { computed: { s, stored, patch, retention } }) => {
      const team = await Team.of(s);
      const frame = await team.frame(0, 600);
      await team.run(0, 100, 3000, 150);
      expect((await team.computed(frame)).body).toMatchObject({ total_distance: 299.7, hr_max: 150 });
      await retention(team);
      const { body } = await s.get(`/api/v1/timeframes/${frame}/`, team.manager.token);
      expect((await patch(team, frame, await changeOf(team, body, s))).status).toBe(200);
      expect(await stored(frame)).toBeUndefined();
      expect((await team.computed(frame)).body).toMatchObject({ total_distance: null, hr_max: null });
    },
  );

  it("include samples that are loaded after the operator has extended an ownership backwards, but not earlier samples", async ({
    computed: { s },
  }) => {
    const team = await Team.of(s);
    const { body } = await team.create();
    const start = Date.parse("2024-06-01T10:00:00Z");
    const load = () =>
      store(
        s,
        team.device.id,
        Array.from({ length: 11 }, (_, k) => ({ t: start + k * 1000, speed: 3000 })),
      );
    await load();
    expect((await team.computed(body.id)).body.total_distance).toBeNull();
    await backdateOwnership(s.ctx, team.device.serial_number, new Date(start + 1000));
    expect((await team.computed(body.id)).body.total_distance).toBeNull();
    await load();
    expect((await team.computed(body.id)).body.total_distance).toBe(27);
  });

  it("say so if there are too many samples, before these are read, and their job fails with the reason", async ({
    computed: { s, stored },
  }) => {
    const team = await Team.of(s);
    await addUnreadableChunks(s, team.device.id, Date.parse("2024-06-01T10:00:00Z"), 67);
    const { body } = await team.create({ end_time: "2024-06-01T20:00:00.000Z" });
    const compute = vi.spyOn(s.service.computer, "compute");
    onTestFinished(() => compute.mockRestore());
    const message = expect.stringMatching(`time frame ${body.id} has more than 2000000 samples.*Shorten`);
    const own = await team.computed(body.id);
    const all = await s.get(`/api/v1/activities/${team.activity}/computed-data/`, team.manager.token);
    for (const answer of [own, all]) {
      expect([answer.status, answer.headers.get("x-error-code")]).toEqual([400, "too_many_samples"]);
      expect(answer.body).toEqual({ message });
    }
    await s.runJobs();
    const details = await s.ctx.queries
      .select({ state: jobs.state, details: jobs.details })
      .from(jobs)
      .where(and(eq(jobs.kind, "compute"), eq(jobs.chargedTo, team.manager.id)));
    expect(details).toEqual([
      { state: "FAILURE", details: expect.objectContaining({ code: "too_many_samples", message }) },
    ]);
    // Jobs of other tests may also compute.
    const ofDevice = () => compute.mock.calls.filter(([{ deviceId }]) => deviceId === team.device.id);
    expect(ofDevice()).toEqual([]);
    expect(await stored(body.id)).toBeUndefined();
    // Without one chunk, the samples are read, and cannot be decoded.
    const token = team.manager.token;
    const json = { end_time: "2024-06-01T15:29:59.999Z" };
    await s.send("PATCH", `/api/v1/timeframes/${body.id}/`, { token, json });
    expect((await team.computed(body.id)).status).toBe(500);
    expect(ofDevice()).toHaveLength(1);
  });

  it("do not include samples after the release of the device", async ({ computed: { s } }) => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    await team.run(0, 100, 3000);
    expect((await team.computed(frame)).body.total_distance).toBe(299.7);
    // The clock of the device is ahead, so these samples are in the future.
    await s.release(team.device, team.manager);
    expect((await team.computed(frame)).body.total_distance).toBeNull();
  });
});
