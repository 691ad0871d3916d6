/**
 * Optional figures of the computed data: peak demands, maximum speeds, profiles, metabolic power and
 * standard runs. The library computes them.
 */
import {
  accelerationSpeedProfile,
  computeRecipe,
  METABOLIC_CAUTION,
  type MetricsOptions,
  metabolicEstimate,
  PEAK_WINDOWS_S,
  peakDemands,
  RECIPES,
  STANDARD_RUNS_CAUTION,
  sessionMaxSpeed,
  standardRuns,
} from "asi-convert/metrics";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plantedSprints } from "../../test/metrics/figures/planted.js";
import { columnsOf } from "../../test/metrics/golden/sessions.js";
import { randomSignal } from "../../test/metrics/second/signals.js";
import { MAX_HOURS } from "../src/domain/computed-data/optional-figures.js";
import { newRecipe } from "./recipes.js";
import { startService, type TestService } from "./service.js";
import { grant, newActivity, type Sample, store, Team } from "./team.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2024, 5, 1, 10);

let s: TestService;

beforeAll(async () => {
  s = await startService();
});

afterAll(() => s.stop());

/**
 * A team that has owned its device since some days before the start, at a time some days after it.
 */
async function teamFor(daysBefore = 1, daysAfter = 1): Promise<Team> {
  s.clock.stopAt(START_MS - daysBefore * DAY_MS);
  const team = await Team.of(s);
  s.clock.stopAt(START_MS + daysAfter * DAY_MS);
  team.manager.token = await s.logIn(team.manager.username, team.manager.password);
  return team;
}

const iso = (ms: number) => new Date(ms).toISOString();

async function frameOf(team: Team, fromMs: number, toMs: number, changes = {}): Promise<number> {
  const { status, body } = await team.create({ start_time: iso(fromMs), end_time: iso(toMs), ...changes });
  expect([status, body]).toEqual([201, body]);
  return body.id;
}

const computed = async (frame: number, token: string, query = "") =>
  (await s.get(`/api/v1/timeframes/${frame}/computed-data/${query}`, token)).body;

/** The profile, metabolic power and standard runs. */
const ALL = "with_profile=1&with_metabolic_power=1&with_standard_runs=1";

/** Ten samples a second at a given speed, starting at a given time. */
const steady = (fromMs: number, speed: number, count = 50): Sample[] =>
  Array.from({ length: count }, (_, k) => ({ t: fromMs + 100 * k, speed }));

describe("optional figures", () => {
  it("equal the figures of the library for random signals", async () => {
    const team = await teamFor();
    const { token } = team.manager;
    const hashes = new Map<string, string>();
    for (const { name, recipe } of RECIPES) {
      const { body } = await s.post("/api/v2/recipes/", { name, recipe }, token);
      hashes.set(name, body.hash);
    }
    for (let seed = 0; seed < 40; seed++) {
      const signal = randomSignal(seed);
      const shiftMs = START_MS + seed * HOUR_MS - (signal[0]?.t ?? 0);
      const samples = signal.map(({ t, ...rest }) => ({ ...rest, t: t + shiftMs }));
      const fromMs = START_MS + seed * HOUR_MS;
      const toMs = fromMs + HOUR_MS / 2;
      const { name, recipe } = RECIPES[seed % RECIPES.length] ?? expect.fail();
      await store(s, team.device.id, samples);
      const params = {
        hid_thresholds: [2, 2 + seed / 10 + 0.1] as [number, number],
        recipes: [{ hash: hashes.get(name) }],
      };
      const frame = await frameOf(team, fromMs, toMs, { params });
      const body = await computed(frame, token, "?with_peaks=1&with_max_speed=1&with_definition=1");
      const more = await computed(frame, token, `?with_peaks=1&${ALL}`);

      const { recipes: _, ...own } = params;
      const options = { from: fromMs, to: toMs };
      const columns = columnsOf(samples);
      const metricsOptions = { ...options, preset: "soccer", params: own } as MetricsOptions;
      const { definition, ...peaks } = peakDemands(columns, metricsOptions);
      expect(JSON.stringify(body.peak_demands)).toBe(JSON.stringify(peaks));
      expect(body.definition.peak_demands).toMatchObject({
        version: definition.version,
        high_speed: definition.high_speed,
      });
      expect(body.session_max_speed).toBe(sessionMaxSpeed(columns, metricsOptions));
      const { definition: _power, ...powerPeaks } = peakDemands(columns, {
        ...metricsOptions,
        metabolicPower: true,
      });
      expect(JSON.stringify(more.peak_demands)).toBe(JSON.stringify(powerPeaks));
      const { definition: _estimate, ...metabolic } = metabolicEstimate(columns, metricsOptions);
      expect(JSON.stringify(more.metabolic)).toBe(JSON.stringify(metabolic));
      const { definition: _runs, ...steadyRuns } = standardRuns(columns, metricsOptions);
      expect(JSON.stringify(more.standard_runs)).toBe(JSON.stringify(steadyRuns));
      const maxSpeed = sessionMaxSpeed(columns, metricsOptions) ?? 0;
      if (maxSpeed >= 1) {
        const options = { ...metricsOptions, maxSpeed: Math.min(20, maxSpeed) };
        const { definition: own, ...profile } = accelerationSpeedProfile([columns], options);
        expect(more.acceleration_speed).toEqual({ ...profile, max_speed: own.max_speed });
      } else
        expect(more.acceleration_speed).toMatchObject({
          profile: null,
          reason: expect.stringMatching(/^(no )?maximum speed/),
        });
      const { hash, count, distance, duration, runs, dropped } = computeRecipe(columns, recipe, options);
      const { name: __, version: ___, ...counted } = body.recipes[0];
      expect(JSON.stringify(counted)).toBe(
        JSON.stringify({ hash, count, distance, duration, runs, dropped }),
      );
    }
  });

  it("come after the standard figures, and do not change their bytes", async () => {
    const team = await teamFor();
    const { token } = team.manager;
    await store(s, team.device.id, steady(START_MS, 6000, 600));
    const frame = await frameOf(team, START_MS, START_MS + HOUR_MS);
    const plain = await s.get(`/api/v1/timeframes/${frame}/computed-data/`, token);
    const path = `/api/v1/timeframes/${frame}/computed-data/?with_peaks=true`;
    const withPeaks = await s.get(path, token);
    const { peak_demands, ...rest } = withPeaks.body;
    expect(Object.keys(withPeaks.body).at(-1)).toBe("peak_demands");
    expect(JSON.stringify(rest)).toBe(JSON.stringify(plain.body));
    expect(withPeaks.headers.get("etag")).not.toBe(plain.headers.get("etag"));
    expect(peak_demands.peaks.distance[1]).toEqual({
      window: 5,
      value: 30,
      start_time: START_MS,
      coverage: 1,
    });
    const { definition } = await computed(frame, token, "?with_peaks=1&with_definition=1");
    expect(definition.peak_demands).toEqual({
      version: 1,
      signal: "doppler_speed",
      windows: PEAK_WINDOWS_S,
      high_speed: 5.5,
    });
    const { definition: own } = await computed(frame, token, "?with_definition=1");
    expect(Object.keys(own)).toEqual(["version", "parameters"]);
    const all = await s.get(`/api/v1/activities/${team.activity}/computed-data/?with_peaks=1`, token);
    expect(all.body).toEqual([{ timeframe: frame, data: withPeaks.body }]);
  });

  it(`are null if the samples span more than ${MAX_HOURS} hours, while the other figures are present`, async () => {
    const team = await teamFor();
    const { token } = team.manager;
    const { body: recipe } = await s.post("/api/v2/recipes/", newRecipe(), token);
    const lengthMs = MAX_HOURS * HOUR_MS;
    await store(s, team.device.id, [
      ...steady(START_MS, 8000, 31),
      { t: START_MS + lengthMs, speed: 0 },
      { t: START_MS + lengthMs + 1, speed: 0 },
    ]);
    const params = { recipes: [{ hash: recipe.hash }] };
    const of = async (endMs: number) =>
      computed(await frameOf(team, START_MS, endMs, { params }), token, "?with_peaks=1&with_max_speed=1");
    const short = await of(START_MS + lengthMs);
    expect(short).toMatchObject({ total_distance: 24, session_max_speed: 8, recipes: [{ count: 1 }] });
    expect(short.peak_demands.peaks.distance[0].value).toBe(8);
    expect(await of(START_MS + lengthMs + 1)).toMatchObject({
      total_distance: 24,
      peak_demands: null,
      session_max_speed: null,
      recipes: [{ hash: recipe.hash, count: null, distance: null, runs: null, dropped: null }],
    });
  });

  it("are null for a recipe with short steps if the samples contain more than 600,000 steps", async () => {
    const team = await teamFor();
    const { token } = team.manager;
    const { body: recipe } = await s.post("/api/v2/recipes/", newRecipe({ resample_ms: 10 }), token);
    const lengthMs = 6_000_000;
    await store(s, team.device.id, [
      ...steady(START_MS, 8000, 31),
      { t: START_MS + lengthMs, speed: 0 },
      { t: START_MS + lengthMs + 1, speed: 0 },
    ]);
    const params = { recipes: [{ hash: recipe.hash }] };
    const countOf = async (endMs: number) =>
      (await computed(await frameOf(team, START_MS, endMs, { params }), token)).recipes[0].count;
    expect(await countOf(START_MS + lengthMs)).toBe(1);
    expect(await countOf(START_MS + lengthMs + 1)).toBeNull();
  });
});

describe("profile, metabolic power and standard runs", () => {
  /** Sprints with a profile, then a steady run of 5 minutes, without times. */
  const session = (): Sample[] => {
    const sprints = plantedSprints(0.05);
    const [first] = sprints;
    const startMs = first?.t ?? 0;
    const endMs = (sprints.at(-1)?.t ?? 0) - startMs + 60_000;
    return [
      ...sprints.map(({ t, speed }) => ({ t: t - startMs, speed: speed ?? 0 })),
      ...steady(endMs, 3500, 3000).map((sample) => ({ ...sample, hr: 150 })),
    ];
  };
  const at = (fromMs: number): Sample[] => session().map((sample) => ({ ...sample, t: sample.t + fromMs }));

  it("are absent unless requested, and change no byte of the others", async () => {
    const team = await teamFor();
    const { token } = team.manager;
    await store(s, team.device.id, at(START_MS));
    const frame = await frameOf(team, START_MS, START_MS + HOUR_MS);
    for (const query of ["?with_definition=1", "?with_peaks=1", "?with_max_speed=1&with_peaks=1"]) {
      const plain = await computed(frame, token, query);
      expect(JSON.stringify(plain)).not.toMatch(
        /metabolic|acceleration_speed|standard_runs|profile_points|caution/,
      );
      const { acceleration_speed, pooled_acceleration_speed, metabolic, standard_runs, ...rest } =
        await computed(frame, token, `${query}&${ALL}`);
      for (const figure of [acceleration_speed, pooled_acceleration_speed, metabolic, standard_runs])
        expect(figure).toEqual(expect.any(Object));
      const { definition, peak_demands } = rest;
      if (definition !== undefined) {
        expect(definition.acceleration_speed).toMatchObject({
          version: 1,
          days: 28,
          gate: { least_n_before: 30 },
        });
        expect([definition.metabolic, definition.standard_runs]).toEqual([{ version: 1 }, { version: 1 }]);
        for (const key of ["acceleration_speed", "metabolic", "standard_runs"]) delete definition[key];
      }
      if (peak_demands !== undefined) {
        expect(peak_demands.caution).toBe(METABOLIC_CAUTION);
        delete peak_demands.caution;
        delete peak_demands.peaks.metabolic_power;
      }
      expect(JSON.stringify(rest)).toBe(JSON.stringify(plain));
    }
  });

  it("carry a caution with its source, and find the profile and the run of a session", async () => {
    const team = await teamFor();
    const { token } = team.manager;
    await store(s, team.device.id, at(START_MS));
    const frame = await frameOf(team, START_MS, START_MS + HOUR_MS);
    const body = await computed(frame, token, `?${ALL}`);
    expect(body.acceleration_speed).toMatchObject({ reason: null, profile: { n_before: 62 } });
    expect(body.pooled_acceleration_speed).toEqual({ ...body.acceleration_speed, sessions: 1 });
    expect(body.metabolic.caution).toBe(METABOLIC_CAUTION);
    expect(body.standard_runs).toMatchObject({
      caution: STANDARD_RUNS_CAUTION,
      runs: [{ mean_speed: 3.5, heart_rate: 150 }],
    });
    const all = await s.get(`/api/v1/activities/${team.activity}/computed-data/?${ALL}`, token);
    const { pooled_acceleration_speed: _, ...ofActivity } = body;
    expect(all.body).toEqual([{ timeframe: frame, data: ofActivity }]);
  });

  it("pool the sessions of 28 days that the caller can read, and use no part of a session twice", async () => {
    const team = await teamFor(60, 60);
    const { token } = team.manager;
    const day = async (days: number, speed?: number) => {
      const fromMs = START_MS + days * DAY_MS;
      await store(s, team.device.id, speed === undefined ? at(fromMs) : steady(fromMs, speed, 100));
      return frameOf(team, fromMs, fromMs + HOUR_MS, { activity: await newActivity(s, team.manager) });
    };
    const pooled = async (frame: number, reader = token) => {
      await s.runJobs();
      return (await computed(frame, reader, "?with_profile=1")).pooled_acceleration_speed;
    };
    const first = await day(0);
    const alone = await pooled(first);
    expect(alone).toMatchObject({ reason: null, sessions: 1 });
    // The first half of the same session has the same points.
    await frameOf(team, START_MS, START_MS + HOUR_MS / 2, { activity: await newActivity(s, team.manager) });
    expect(await pooled(first)).toEqual(alone);
    const slow = await day(27, 4000);
    expect(await pooled(slow)).toMatchObject({ ...alone, sessions: 1 });
    expect(await pooled(await day(28, 4000))).toMatchObject({
      profile: null,
      max_speed: alone.max_speed,
      sessions: 0,
    });
    const reader = await s.manager();
    await grant(s, team.athlete, reader.id, "READ", iso(START_MS + DAY_MS), "2999-01-01");
    expect(await pooled(slow, reader.token)).toMatchObject({ profile: null, max_speed: 4, sessions: 0 });
  });

  it("are null or have a reason if they cannot be computed", async () => {
    const team = await teamFor();
    const { token } = team.manager;
    const empty = await frameOf(team, START_MS, START_MS + HOUR_MS);
    const nothing = { profile: null, top_speed: null, max_speed: null };
    expect(await computed(empty, token, `?${ALL}`)).toMatchObject({
      acceleration_speed: { ...nothing, reason: expect.stringMatching(/^no maximum speed/) },
      pooled_acceleration_speed: { ...nothing, sessions: 0 },
      metabolic: { energy: null, categories: [] },
      standard_runs: { runs: [] },
    });
    const fromMs = START_MS + 2 * HOUR_MS;
    const lengthMs = MAX_HOURS * HOUR_MS;
    await store(s, team.device.id, [
      ...steady(fromMs, 8000, 31),
      { t: fromMs + lengthMs, speed: 0 },
      { t: fromMs + lengthMs + 1, speed: 0 },
    ]);
    const long = await frameOf(team, fromMs, fromMs + lengthMs + 1);
    expect(await computed(long, token, `?${ALL}&with_peaks=1`)).toMatchObject({
      acceleration_speed: null,
      metabolic: null,
      standard_runs: null,
      peak_demands: null,
    });
  });
});

describe("the maximum speed of a season", () => {
  /** A session of some minutes, some days from the start, in an activity. @returns the time frame */
  async function session(
    team: Team,
    day: number,
    speed: number,
    activity?: number,
    minute = 0,
  ): Promise<number> {
    const fromMs = START_MS + day * DAY_MS + minute * 60_000;
    await store(s, team.device.id, steady(fromMs, speed));
    const of = activity ?? (await newActivity(s, team.manager));
    return frameOf(team, fromMs, fromMs + 60_000, { activity: of });
  }

  const season = async (frame: number, token: string) => {
    await s.runJobs();
    return (await computed(frame, token, "?with_max_speed=1")).season_max_speed;
  };

  it("is unconfirmed until another session is within 5 %; both halves of a match are one session", async () => {
    const team = await teamFor(10, 10);
    const { token } = team.manager;
    const match = await newActivity(s, team.manager);
    const first = await session(team, 0, 8000, match);
    const best = { max_speed: 8, day: "2024-06-01" };
    expect(await season(first, token)).toEqual({ ...best, unconfirmed: true, sessions: 1 });
    await session(team, 0, 7900, match, 30);
    expect(await season(first, token)).toEqual({ ...best, unconfirmed: true, sessions: 1 });
    const slow = await session(team, 2, 7000);
    expect(await season(slow, token)).toEqual({ ...best, unconfirmed: true, sessions: 2 });
    // Later sessions do not affect the year up to the first one.
    const third = await session(team, 4, 7900);
    expect(await season(third, token)).toEqual({ ...best, unconfirmed: false, sessions: 3 });
    expect(await season(first, token)).toEqual({ ...best, unconfirmed: true, sessions: 1 });
    // The result excludes a session if its time frame is removed.
    await s.send("DELETE", `/api/v1/timeframes/${slow}/`, { token });
    expect(await season(third, token)).toEqual({ ...best, unconfirmed: false, sessions: 2 });
  });

  it("covers the 365 days that end on the day of the time frame", async () => {
    const team = await teamFor(1, 400);
    const { token } = team.manager;
    await session(team, 0, 8000);
    const [within, beyond] = [await session(team, 364, 6000), await session(team, 365, 6100)];
    expect(await season(within, token)).toMatchObject({ max_speed: 8, sessions: 2 });
    expect(await season(beyond, token)).toMatchObject({ max_speed: 6.1, day: "2025-06-01", sessions: 2 });
  });

  it("includes the sessions that the caller can read, and no sessions of other owners or athletes", async () => {
    const team = await teamFor(10, 10);
    const [fast, slow] = [await session(team, 0, 8000), await session(team, 4, 7000)];
    const other = await teamFor(10, 10);
    await session(other, 3, 9000);
    const reader = await s.manager();
    await grant(s, team.athlete, reader.id, "READ", iso(START_MS + DAY_MS), "2999-01-01");
    expect(await season(slow, team.manager.token)).toMatchObject({ max_speed: 8, sessions: 2 });
    expect(await season(slow, reader.token)).toEqual({
      max_speed: 7,
      day: "2024-06-05",
      unconfirmed: true,
      sessions: 1,
    });
    expect((await s.get(`/api/v1/timeframes/${fast}/computed-data/`, reader.token)).status).toBe(403);
  });

  it("includes only current results: a changed time frame is included after its recomputation", async () => {
    const team = await teamFor(10, 10);
    const { token } = team.manager;
    const [fast, slow] = [await session(team, 0, 8000), await session(team, 4, 7000)];
    expect(await season(slow, token)).toMatchObject({ max_speed: 8, sessions: 2 });
    const json = { params: { max_valid_speed: 7.9, speed_ranges: [0, 5] } };
    await s.send("PATCH", `/api/v1/timeframes/${fast}/`, { token, json });
    const now = (await computed(slow, token, "?with_max_speed=1")).season_max_speed;
    expect(now).toMatchObject({ max_speed: 7, sessions: 1 });
    await s.send("PATCH", `/api/v1/timeframes/${fast}/`, { token, json: { params: {} } });
    expect(await season(slow, token)).toMatchObject({ max_speed: 8, sessions: 2 });
  });

  it("is null if no session has at least 5 Hz", async () => {
    const team = await teamFor();
    const frame = await frameOf(team, START_MS, START_MS + HOUR_MS);
    expect(await computed(frame, team.manager.token, "?with_max_speed=1")).toMatchObject({
      session_max_speed: null,
      season_max_speed: null,
    });
  });
});
