/**
 * Tests the optional figures of computed data: peak demands, maximum speeds, profiles, metabolic power and standard runs. The
 * library computes them.
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
import { describe, expect } from "vitest";
import { columnsOf } from "../../test/metrics/golden/sessions.js";
import { randomSignal } from "../../test/metrics/second/signals.js";
import { MAX_HOURS } from "../src/domain/computed-data/optional-figures.js";
import {
  DAY_MS,
  HOUR_MS,
  iso,
  START_MS,
  steady,
  trainingAt,
  withOptionalFigures,
} from "./optional-figures-scene.js";
import { newRecipe } from "./recipes.js";
import type { TestService } from "./service.js";
import type { Team } from "./team.js";
import { grant, newActivity, store } from "./team.js";

/** Requests the profile, metabolic power and standard runs. */
const ALL = "with_profile=1&with_metabolic_power=1&with_standard_runs=1";

const it = withOptionalFigures();

/**
 * Stores a sprint of 3 s and, after a pause, two samples 1 ms apart.
 * @param lengthMs time of the first of these samples after the start, ms
 */
const storeSprint = (s: TestService, { device }: Team, lengthMs: number) =>
  store(s, device.id, [
    ...steady(START_MS, 8000, 31),
    { t: START_MS + lengthMs, speed: 0 },
    { t: START_MS + lengthMs + 1, speed: 0 },
  ]);

describe("optional figures", () => {
  it("equal the figures of the library for random signals", async ({
    figures: { s, teamFor, frameOf, computed },
  }) => {
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

  it("follow the standard figures, and do not change their bytes", async ({
    figures: { s, teamFor, frameOf, computed },
  }) => {
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

  it(`are null if the samples span more than ${MAX_HOURS} hours, while the other figures are present`, async ({
    figures: { s, teamFor, frameOf, computed },
  }) => {
    const team = await teamFor();
    const { token } = team.manager;
    const { body: recipe } = await s.post("/api/v2/recipes/", newRecipe(), token);
    const lengthMs = MAX_HOURS * HOUR_MS;
    await storeSprint(s, team, lengthMs);
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

  it("are null for a recipe with short steps if the samples contain more than 600,000 steps", async ({
    figures: { s, teamFor, frameOf, computed },
  }) => {
    const team = await teamFor();
    const { token } = team.manager;
    const { body: recipe } = await s.post("/api/v2/recipes/", newRecipe({ resample_ms: 10 }), token);
    const lengthMs = 6_000_000;
    await storeSprint(s, team, lengthMs);
    const params = { recipes: [{ hash: recipe.hash }] };
    const countOf = async (endMs: number) =>
      (await computed(await frameOf(team, START_MS, endMs, { params }), token)).recipes[0].count;
    expect(await countOf(START_MS + lengthMs)).toBe(1);
    expect(await countOf(START_MS + lengthMs + 1)).toBeNull();
  });
});

describe("the profile, metabolic power and standard runs", () => {
  it("are absent unless requested, and change no byte of the other figures", async ({
    figures: { s, teamFor, frameOf, computed },
  }) => {
    const team = await teamFor();
    const { token } = team.manager;
    await store(s, team.device.id, trainingAt(START_MS));
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

  it("have a caution with its source, and include the profile and the run of a session", async ({
    figures: { s, teamFor, frameOf, computed },
  }) => {
    const team = await teamFor();
    const { token } = team.manager;
    await store(s, team.device.id, trainingAt(START_MS));
    const frame = await frameOf(team, START_MS, START_MS + HOUR_MS);
    const body = await computed(frame, token, `?${ALL}`);
    expect(body.acceleration_speed).toMatchObject({ reason: null, profile: { n_before: 62 } });
    expect(body.pooled_acceleration_speed).toEqual({
      ...body.acceleration_speed,
      ...{ sessions: 1, not_computed: 0 },
    });
    expect(body.metabolic.caution).toBe(METABOLIC_CAUTION);
    expect(body.standard_runs).toMatchObject({
      caution: STANDARD_RUNS_CAUTION,
      runs: [{ mean_speed: 3.5, heart_rate: 150 }],
    });
    const all = await s.get(`/api/v1/activities/${team.activity}/computed-data/?${ALL}`, token);
    const { pooled_acceleration_speed: _, ...ofActivity } = body;
    expect(all.body).toEqual([{ timeframe: frame, data: ofActivity }]);
  });

  it("pool the sessions of 28 days that the caller can read, and use no part of a session twice", async ({
    figures: { s, teamFor, frameOf, computed },
  }) => {
    const team = await teamFor(60, 60);
    const { token } = team.manager;
    const day = async (days: number, speed?: number) => {
      const fromMs = START_MS + days * DAY_MS;
      await store(s, team.device.id, speed === undefined ? trainingAt(fromMs) : steady(fromMs, speed, 100));
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

  it("are null or have a reason if they cannot be computed", async ({
    figures: { s, teamFor, frameOf, computed },
  }) => {
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
