import type { Resource } from "asi-client";
import { describe, expect, it } from "vitest";
import {
  type Arrival,
  distancesBefore,
  type LivePlayer,
  STALE_MS,
  withSamples,
} from "../src/app/sessions/live-player.js";

const ATHLETE = 12;
const START_MS = Date.UTC(2026, 4, 16, 12);
const MINUTE_MS = 60_000;

/** Returns the samples of a player who runs at 3 m/s, one every 100 ms. */
const samplesFrom = (ms: number, count: number, speed = 3, heart: number | null = null) =>
  Array.from({ length: count }, (_, i) => ({
    "gnss.latitude": 47.37,
    "gnss.longitude": 8.55,
    "gnss.speed": speed,
    "gnss.timestamp": ms + i * 100,
    "ecg.hr": heart,
  }));

/** Returns the arrival of samples on a computer whose clock is correct. */
const at = (ms: number): Arrival => ({ heardMs: ms - START_MS, nowMs: ms, isFirst: false });

function add(
  known: LivePlayer | undefined,
  samples: ReturnType<typeof samplesFrom>,
  arrival: Arrival,
  device = 1,
): LivePlayer {
  const player = withSamples(known, { device, athlete: ATHLETE, samples }, arrival, undefined);
  if (player === undefined) throw new Error("no sample was taken");
  return player;
}

/** Adds samples second by second. */
function follow(known: LivePlayer | undefined, fromMs: number, seconds: number, devices = [1]): LivePlayer {
  let player = known;
  for (let i = 0; i < seconds; i++) {
    const ms = fromMs + i * 1000;
    for (const device of devices)
      player = add(player, samplesFrom(ms, 10, device * 3), at(ms + 1000), device);
  }
  if (player === undefined) throw new Error("no device");
  return player;
}

describe("a player of a running session", () => {
  it("is not hidden by a sample that is ahead of the clock", () => {
    let player = follow(undefined, START_MS, 5);
    player = add(player, samplesFrom(START_MS + 5 * MINUTE_MS, 2, 9), at(START_MS + 5000));
    expect(player.shown.speed).toBe(9);
    player = follow(player, START_MS + 5000, 5);
    expect(player.shown).toMatchObject({ speed: 3, ms: START_MS + 9900, heardMs: 10_000 });
    expect(player.shown.trail.every(({ ms }) => ms <= START_MS + 9900)).toBe(true);
    // the distance excludes the steps to the sample and back, but includes the step between the two samples ahead
    expect(player.addedM).toBeCloseTo(3 * (4.9 + 4.9) + 0.9);
  });

  it("is not hidden by a sample that is ahead of the clock of the service, if the clock of the computer is fast", () => {
    const fast = (ms: number) => ({ ...at(ms), nowMs: ms + 10 * MINUTE_MS });
    let player = add(undefined, samplesFrom(START_MS + 5 * MINUTE_MS, 1, 9), fast(START_MS));
    player = add(player, samplesFrom(START_MS, 10), fast(START_MS + 1000));
    expect(player.shown).toMatchObject({ speed: 3, ms: START_MS + 900 });
  });

  it("is not hidden by a sample that is a few seconds ahead of the clock", () => {
    const player = add(undefined, samplesFrom(START_MS + 8000, 1, 9), at(START_MS));
    expect(add(player, samplesFrom(START_MS, 1), at(START_MS)).shown).toMatchObject({
      speed: 3,
      ms: START_MS,
    });
  });

  it("ignores repeated samples", () => {
    const player = follow(undefined, START_MS, 5);
    expect(follow(player, START_MS + 4000, 1).shown).toMatchObject({ ms: START_MS + 4900, count: 50 });
    expect(follow(player, START_MS + 4000, 1).addedM).toBe(player.addedM);
  });

  it.each([6_000, -6_000, 20 * MINUTE_MS])(
    "is as old as the arrival of the last sample, with a clock that is %i ms fast",
    (fastMs) => {
      let player: LivePlayer | undefined;
      for (let i = 0; i < 3; i++) {
        const ms = START_MS + i * 1000;
        player = add(player, samplesFrom(ms, 10, 3, 140), {
          heardMs: i * 1000 + 1000,
          nowMs: ms + 1000 + fastMs,
          isFirst: i === 0,
        });
      }
      expect(player?.shown).toMatchObject({ heardMs: 3000, heart: { bpm: 140, heardMs: 3000 } });
    },
  );

  it("is outdated if the first sample is old, because the stream begins with the newest sample of any age", () => {
    const first = { ...at(START_MS + 20 * MINUTE_MS), isFirst: true };
    const player = add(undefined, samplesFrom(START_MS, 1), first);
    expect(first.heardMs - player.shown.heardMs).toBe(20 * MINUTE_MS);
  });

  it("has a heart rate as old as its sample", () => {
    const samples = [...samplesFrom(START_MS, 1, 3, 150), ...samplesFrom(START_MS + 100, 9)];
    expect(add(undefined, samples, at(START_MS + 1000)).shown.heart).toEqual({ bpm: 150, heardMs: 100 });
  });

  it("is represented and counted by one of two devices", () => {
    const player = follow(undefined, START_MS, 30, [1, 2]);
    expect(player.shown).toMatchObject({ device: 1, speed: 3 });
    expect(player.addedM).toBeCloseTo(3 * 29.9);
    expect([...player.tracks.keys()]).toEqual([1, 2]);
  });

  it("is represented by the device with more samples", () => {
    let player: LivePlayer | undefined;
    for (let i = 0; i < 20; i++) {
      const ms = START_MS + i * 1000;
      // the first device sends one sample a second
      player = add(player, samplesFrom(ms, 1, 3), at(ms + 1000), 1);
      player = add(player, samplesFrom(ms, 10, 6), at(ms + 1000), 2);
      if (i === 5) expect(player.shown.device).toBe(1);
    }
    expect(player?.shown).toMatchObject({ device: 2, speed: 6, count: 200 });
    // each second is counted for one device only
    expect(player?.countedMs).toBe(START_MS + 19_900);
    expect(player?.addedM).toBeGreaterThan(3 * 19);
    expect(player?.addedM).toBeLessThan(6 * 19.9);
  });

  it("is represented by the second device when the first one is silent, and retains its distance", () => {
    const first = follow(undefined, START_MS, 60);
    const silentMs = START_MS + 60_000 + STALE_MS + 1000;
    const player = follow(first, silentMs, 10, [2]);
    expect(player.shown).toMatchObject({ device: 2, speed: 6 });
    expect(player.addedM).toBeCloseTo(3 * 59.9 + 6 * 9.9);
    // the first device has sent more samples, but before its silence
    expect(follow(player, silentMs + 10_000, 5, [1, 2]).shown.device).toBe(2);
  });
});

describe("the distance in the figures", () => {
  it("does not end ahead of the clock", () => {
    const end = new Date(Date.now() + 5 * MINUTE_MS).toISOString();
    const row = { athlete: ATHLETE, period: null, end, figures: { distance_m: 1000 } };
    const before = distancesBefore({ rows: [row] } as unknown as Resource["SessionFigures"]).get(ATHLETE);
    expect(before?.metres).toBe(1000);
    expect(before?.endMs).toBeLessThanOrEqual(Date.now());
  });
});
