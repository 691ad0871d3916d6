import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { computeMetrics } from "../../src/metrics/index.js";
import {
  accelerationSpeedProfile,
  fitProfile,
  highestOfSessions,
  type ProfilePoint,
  SpeedClasses,
} from "../../src/metrics/person/acceleration-speed.js";
import {
  individualZones,
  pooledProfile,
  profileSpeeds,
  seasonMaxSpeed,
  sessionMaxSpeed,
  sessionProfile,
} from "../../src/metrics/person/index.js";
import { twoSidedT } from "../../src/metrics/person/student-t.js";
import { CORPUS, committed, expected, rowsOf, samplesIn } from "./figures/corpus.js";
import { plantedSprints } from "./figures/planted.js";
import { columnsOf, tenHertz } from "./golden/sessions.js";

// expected/acceleration_speed.json was computed with scipy by a program that shares no code with the library.

interface Fit {
  A0: number;
  S0: number;
  slope: number;
  r2: number;
  n: number;
}
type Session = Record<string, { first: Fit; final: Fit }> & { "max_speed_held_0.5_s": number };
function highestOfClasses(points: readonly ProfilePoint[]): ProfilePoint[] {
  const classes = new SpeedClasses();
  for (const { speed, acceleration } of points) classes.add(speed, acceleration);
  return classes.points;
}

const golden = expected<Record<string, Session>>("acceleration_speed.json");

const PLANTED = {
  "planted_as_clean.csv": plantedSprints(0),
  "planted_as_noise005.csv": plantedSprints(0.05),
};
const NAMES = ["planted_as_clean.csv", "planted_as_noise005.csv"] as const;

describe.each(NAMES)("the sprints of %s", (name) => {
  const samples = columnsOf(PLANTED[name]);
  const wanted = golden[name]?.["1 Hz each pass, a0-ci"];

  it("have the profile of the independent program", () => {
    const fit = fitProfile(highestOfSessions([samples]));
    for (const [own, theirs] of [
      [fit?.before, wanted?.first],
      [fit?.after, wanted?.final],
    ] as const) {
      expect(own?.n).toBe(theirs?.n);
      expect(own?.intercept).toBeCloseTo(theirs?.A0 ?? 0, 8);
      expect(own?.slope).toBeCloseTo(theirs?.slope ?? 0, 8);
      expect(-(own?.intercept ?? 0) / (own?.slope ?? 1)).toBeCloseTo(theirs?.S0 ?? 0, 8);
      expect(own?.r2).toBeCloseTo(theirs?.r2 ?? 0, 8);
    }
  });

  it("have the maximum speed of that program, reached for 0.5 s", () => {
    expect(sessionMaxSpeed(samples)).toBe(golden[name]?.["max_speed_held_0.5_s"]);
  });

  it.skipIf(CORPUS === null)("are those of the corpus", () => {
    expect(samplesIn(`${CORPUS}data/${name}`).map(({ t, speed }) => ({ t, speed }))).toEqual(PLANTED[name]);
    for (const file of ["acceleration_speed.json", "t975.json", "individual_zones.json"])
      expect(JSON.parse(committed(file))).toEqual(expected(file));
  });
});

describe("an acceleration-speed profile", () => {
  const sprints = columnsOf(PLANTED["planted_as_noise005.csv"]);

  it("pools sessions, and is close to the 7.0 m/s2 and 9.2 m/s of the generated sprints", () => {
    const { profile, reason } = accelerationSpeedProfile([sprints], { maxSpeed: 9.1 });
    expect(reason).toBeNull();
    expect(profile).toMatchObject({ a0: 6.8, s0: 9.46, tau: 1.39, n_before: 62, n: 43, r2_before: 0.9963 });
    const half = Math.floor(sprints.length / 2);
    const parts = [0, half].map((from) => ({
      length: from === 0 ? half : sprints.length - half,
      timestampMs: sprints.timestampMs.subarray(from, from === 0 ? half : undefined),
      speedMmPerS: sprints.speedMmPerS.subarray(from, from === 0 ? half : undefined),
      hr: sprints.hr.subarray(from, from === 0 ? half : undefined),
    }));
    expect(accelerationSpeedProfile(parts, { maxSpeed: 9.1 }).profile?.n_before).toBe(62);
  });

  it("must match the maximum speed of the session or a given one, or returns the reason if there is none", () => {
    const speeds = profileSpeeds(sprints);
    const { definition, ...expected } = accelerationSpeedProfile([sprints], {
      maxSpeed: speeds.maxSpeed ?? 0,
    });
    expect(sessionProfile(speeds)).toEqual({ ...expected, max_speed: definition.max_speed });
    const { points } = speeds;
    expect(sessionProfile({ points, maxSpeed: null })).toMatchObject({
      profile: null,
      reason: expect.stringMatching(/^no maximum speed; /),
      max_speed: null,
    });
    expect(sessionProfile({ points: [], maxSpeed: 0.9 })).toEqual({
      profile: null,
      reason: "maximum speed 0.9 m/s; at least 1 m/s is needed",
      top_speed: null,
      max_speed: 0.9,
    });
    expect(sessionProfile({ points, maxSpeed: 25 }).max_speed).toBe(20);
    const { definition: _, ...faster } = accelerationSpeedProfile([sprints], { maxSpeed: 12 });
    expect(sessionProfile(speeds, 12)).toEqual({ ...faster, max_speed: 12 });
    expect(sessionProfile({ points, maxSpeed: null }, 12).max_speed).toBeNull();
  });

  it("pools the points of 28 days and counts only sessions with points", () => {
    const { points } = profileSpeeds(sprints);
    const sessions = [
      { day: "2024-05-03", points },
      { day: "2024-05-04", points: [] },
      { day: "2024-05-31", points: points.slice(0, 3) },
      { day: "2024-06-01", points },
    ];
    const at = (to: string) => pooledProfile(sessions, { to, maxSpeed: 9.1 });
    expect(at("2024-05-30")).toMatchObject({ sessions: 1, reason: null, max_speed: 9.1 });
    expect(at("2024-05-31")).toMatchObject({ sessions: 1, profile: null, top_speed: expect.any(Number) });
    expect(at("2024-05-03").profile).toEqual(accelerationSpeedProfile([sprints], { maxSpeed: 9.1 }).profile);
  });

  it("is null, with a reason, if there are too few points, or if it is too slow or differs from the maximum speed", () => {
    const jog = columnsOf(tenHertz(600, (s) => 3.5 + 0.5 * Math.sin(s)));
    expect(accelerationSpeedProfile([jog], { maxSpeed: 9 })).toMatchObject({
      profile: null,
      reason: expect.stringMatching(/^\d+ points; at least 30 are needed$/),
    });
    expect(accelerationSpeedProfile([], { maxSpeed: 9 })).toMatchObject({ top_speed: null, profile: null });
    expect(accelerationSpeedProfile([sprints], { maxSpeed: 12 }).reason).toMatch(
      /at least 85 % of the maximum/,
    );
    expect(accelerationSpeedProfile([sprints], { maxSpeed: 7 }).reason).toMatch(
      /S0 9\.46 m\/s; it must be 0\.9/,
    );
    expect(() => accelerationSpeedProfile([], { maxSpeed: 0 })).toThrow(/maxSpeed is 0/);
  });

  it.skipIf(CORPUS === null).each([3, 4])(
    "the R package shorts returns the same line, from %i m/s",
    (from) => {
      const upstream = JSON.parse(readFileSync(`${CORPUS}expected/upstream_shorts_in_situ.json`, "utf8"));
      const theirs = upstream[`threshold_${from}`];
      // its classes do not include their lower limit, but the upper one
      const shift = 0.001;
      const points = rowsOf(`${CORPUS}data/shorts_LPS_session.csv`)
        .map(([speed = 0, acceleration = 0]) => ({ speed: speed - shift, acceleration }))
        .filter(({ speed, acceleration }) => speed >= from - shift / 2 && acceleration >= 0);
      const highest = highestOfClasses(points).map((point) => ({ ...point, speed: point.speed + shift }));
      const line = fitProfile(highest)?.before;
      expect(line?.n).toBe(theirs.n_points);
      expect(line?.intercept).toBeCloseTo(theirs.A0_MAC, 6);
      expect(-(line?.intercept ?? 0) / (line?.slope ?? 1)).toBeCloseTo(theirs.S0_MSS, 6);
      expect(line?.r2).toBeCloseTo(theirs.r2_squared_correlation, 9);
    },
  );

  it.skipIf(CORPUS === null)(
    "equals the result of the independent program for the points of the PabRD example",
    () => {
      const points = readFileSync(`${CORPUS}data/pabrd_exampleFile.csv`, "utf8")
        .trim()
        .split("\n")
        .slice(1)
        .map((row) => row.split(";").map(Number))
        .map(([, speed = 0, acceleration = 0]) => ({ speed, acceleration }))
        .filter(({ speed, acceleration }) => acceleration > 0 && speed >= 3);
      const fit = fitProfile(highestOfClasses(points));
      expect([fit?.before.n, fit?.after.n]).toEqual([54, 42]);
      for (const [own, theirs] of [
        [fit?.after, golden.pabrd?.["as supplied, half-open bins, a0-ci"]?.final],
        [fit?.after, golden.pabrd?.["as supplied, closed bins, a0-ci"]?.final],
        [fit?.before, golden.pabrd?.["as supplied, half-open bins, none"]?.final],
      ] as const) {
        expect(own?.intercept).toBeCloseTo(theirs?.A0 ?? 0, 9);
        expect(own?.slope).toBeCloseTo(theirs?.slope ?? 0, 9);
        expect(own?.r2).toBeCloseTo(theirs?.r2 ?? 0, 9);
      }
    },
  );

  it("uses the t value from a table of Student's distribution", () => {
    for (const [degrees, t] of Object.entries(expected<Record<string, number>>("t975.json"))) {
      // scipy 1.10 ends its search at 1e-8
      expect(twoSidedT(Number(degrees))).toBeCloseTo(t, 7);
    }
  });
});

describe("maximum speeds", () => {
  it("must last 0.5 s: six values at 10 Hz count, five do not", () => {
    const peakOf = (count: number) =>
      sessionMaxSpeed(columnsOf(tenHertz(60, (_, k) => (k >= 20 && k < 20 + count ? 9 : 4))));
    expect([peakOf(5), peakOf(6)]).toEqual([4, 9]);
    expect(sessionMaxSpeed([])).toBeNull();
  });

  it("are unconfirmed without a second one within 5 % in the season, and expire after 365 days", () => {
    const of = (...speeds: number[]) =>
      seasonMaxSpeed(
        speeds.map((maxSpeed, i) => ({ day: `2025-01-0${i + 1}`, maxSpeed })),
        "2025-12-31",
      );
    expect(of()).toBeNull();
    expect(of(9)).toEqual({ max_speed: 9, day: "2025-01-01", unconfirmed: true });
    expect(of(8, 8.4)).toEqual({ max_speed: 8.4, day: "2025-01-02", unconfirmed: false });
    expect(of(8, 8.41)?.unconfirmed).toBe(true);
    expect(seasonMaxSpeed([{ day: "2024-12-31", maxSpeed: 9 }], "2025-12-31")).toBeNull();
    expect(() => seasonMaxSpeed([], "yesterday")).toThrow(/must be a date/);
  });
});

describe("zones of a person", () => {
  const zones = expected<{
    mas: number;
    mss: number;
    asr_zones: number[];
    mss_zones: Record<string, number>;
  }>("individual_zones.json");
  const { mas, mss } = zones;

  it("equal those of the independent program, and can be passed to computeMetrics", () => {
    const asr = individualZones("asr", { mas, mss });
    expect(asr.speed_ranges).toEqual(zones.asr_zones);
    expect(asr.sprint_threshold).toBe(zones.asr_zones[4]);
    const own = individualZones("mss", { mss });
    expect(own.speed_ranges).toEqual([0, ...Object.values(zones.mss_zones)]);
    expect(own.sprint_threshold).toBe(zones.mss_zones.sprint_80);
    for (const params of [asr, own])
      expect(computeMetrics([], { params }).definition.parameters).toMatchObject(params);
  });

  it("require the speeds from which they are derived", () => {
    expect(() => individualZones("asr", { mss })).toThrow(/mas is undefined; it must be from 1 to 20 m\/s/);
    expect(() => individualZones("asr", { mss: 4, mas: 4 })).toThrow(/mas must be below mss/);
    expect(() => individualZones("vift" as never, { mss })).toThrow(/must be asr or mss/);
  });
});
