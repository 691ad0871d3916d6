import { expect } from "vitest";
import { heartRatePeriods, prepareSamples, speedsAt } from "../../../src/metrics/index.js";
import { TrackIntervals } from "../../../src/tracks/track-intervals.js";
import { gaussOf, xorshift } from "../figures/planted.js";
import { columnsOf, type TestSample } from "../golden/sessions.js";
import { near } from "./peaks.js";
import { columnsForPython } from "./signals.js";
import type { Comparison } from "./tasks.js";

type TrackEvent = readonly ["record" | "interval" | "end", number];

/**
 * Records of a track and the RR intervals between them, in the order of a FIT file: 1 to 10 records a second, sometimes with equal times, with
 * pauses and a clock that is set back; intervals with drift, missing ones, impossible ones, and ends of files.
 */
export function randomTrack(seed: number): TrackEvent[] {
  const uniform = xorshift(seed * 104_729 + 11);
  const stepMs = [1000, 1000, 500, 100][seed % 4] as number;
  const count = seed < 8 ? seed : 8 + Math.floor(200 * uniform());
  const lossRate = 0.05 * uniform();
  const startMs = 1_700_000_000_000;
  const events: TrackEvent[] = [];
  let ms = startMs;
  let beatMs = startMs + 1000 * (2 * uniform() - 1);
  for (let i = 0; i < count; i++) {
    if (uniform() < 0.95) events.push(["record", ms]);
    const luck = uniform();
    if (luck < 0.02) ms += Math.floor(20_000 * uniform());
    else if (luck < 0.03) ms -= Math.floor(5000 * uniform());
    else if (luck > 0.05) ms += stepMs;
    while (beatMs < ms) {
      const rr = Math.max(1, Math.round(700 + 60 * gaussOf(uniform)));
      beatMs += rr;
      if (uniform() >= lossRate) events.push(["interval", rr]);
      if (uniform() < 0.01) events.push(["interval", uniform() < 0.5 ? 0 : 60_001]);
    }
    if (uniform() < 0.01) events.push(["end", 0]);
  }
  return events;
}

export function intervalsComparison(events: readonly TrackEvent[], seed: number): Comparison {
  return {
    task: { figure: "intervals of a track", events },
    compare(answer) {
      const theirs = answer as { beats: [number, number][]; unused: number };
      const intervals = new TrackIntervals();
      const uniform = xorshift(seed + 1);
      const beats: [number, number][] = [];
      const take = (isEnd: boolean) => {
        for (const { timestampMs, rrMs } of intervals.take(isEnd))
          beats.push(...Array.from(timestampMs, (ms, i): [number, number] => [ms, rrMs[i] ?? -1]));
      };
      for (const [kind, value] of events) {
        if (kind === "record") intervals.addTime(value);
        else if (kind === "interval") intervals.add(value);
        else intervals.endSeries();
        // the batches do not change the result
        if (uniform() < 0.1) take(false);
      }
      take(true);
      expect(beats).toEqual(theirs.beats);
      expect(intervals.leftOut).toBe(theirs.unused);
    },
  };
}

/** Speeds at the rows, between them, beyond them, and in gaps. */
export function speedsComparison(samples: readonly TestSample[], seed: number): Comparison {
  const uniform = xorshift(seed * 31 + 7);
  const startMs = samples[0]?.t ?? 0;
  const spanMs = (samples.at(-1)?.t ?? 0) - startMs;
  const at = Array.from({ length: 60 }, (_, i) => {
    const row = samples[Math.floor(uniform() * samples.length)];
    return i % 3 === 0 && row !== undefined ? row.t : Math.floor(startMs - 500 + (spanMs + 1000) * uniform());
  });
  return {
    task: { figure: "speeds at times", ...columnsForPython(samples), at },
    compare(answer) {
      const speeds = [...speedsAt(columnsOf(samples), at)];
      near(
        speeds.map((speed) => (Number.isNaN(speed) ? null : speed)),
        answer as (number | null)[],
        1e-12,
      );
    },
  };
}

export function heartRangeComparison(samples: readonly TestSample[], seed: number): Comparison {
  const uniform = xorshift(seed * 17 + 5);
  const low = 30 + Math.floor(160 * uniform());
  const high = low + Math.floor((241 - low) * uniform());
  return {
    task: { figure: "rows in a heart-rate range", ...columnsForPython(samples), low, high },
    compare(answer) {
      const prepared = prepareSamples(columnsOf(samples));
      const periods = heartRatePeriods(prepared, low, high);
      const isIn = (ms: number) => periods.some(({ startMs, endMs }) => startMs <= ms && ms < endMs);
      expect([...prepared.timestampMs.subarray(0, prepared.length)].map(isIn)).toEqual(answer);
    },
  };
}
