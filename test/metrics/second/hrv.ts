import { expect } from "vitest";
import { correctIntervals, labelArtefacts } from "../../../src/metrics/hrv/artefacts.js";
import { dfaOverTime } from "../../../src/metrics/hrv/dfa.js";
import { timeDomain } from "../../../src/metrics/hrv/heart-rate-variability.js";
import { lowHighPower } from "../../../src/metrics/hrv/lomb.js";
import { gaussOf, xorshift } from "../figures/planted.js";
import { near } from "./peaks.js";
import type { Comparison } from "./tasks.js";

/** Intervals in whole ms with drift, breathing and noise, and beats that are early, missed, extra or lost. The first are very short. */
export function randomIntervals(seed: number): number[] {
  const uniform = xorshift(seed * 6151 + 3);
  const count = seed < 30 ? seed : 30 + Math.floor(400 * uniform());
  const mean = 350 + 700 * uniform();
  const noise = 1 + 30 * uniform();
  const rate = 0.06 * uniform();
  const rr: number[] = [];
  for (let i = 0; i < count; i++) {
    const ms = Math.round(mean + 0.04 * mean * Math.sin(i / 2.3) + noise * gaussOf(uniform) + 0.1 * i);
    const luck = uniform();
    if (luck < rate / 4) rr.push(ms - Math.floor(ms / 4), ms + Math.floor(ms / 4));
    else if (luck < rate / 2) rr.push(2 * ms);
    else if (luck < (3 * rate) / 4) rr.push(Math.floor(ms / 3), ms - Math.floor(ms / 3));
    else if (luck < rate) rr.push(Math.round(ms * (0.6 + 0.8 * uniform())));
    else rr.push(ms);
  }
  return rr.map((ms) => Math.max(200, ms));
}

export function hrvComparison(rr: readonly number[]): Comparison {
  const step = 5000;
  return {
    task: { figure: "hrv", rr, step },
    compare(answer) {
      const theirs = answer as {
        labels: (string | null)[];
        corrected: number[];
        time: number[] | null;
        lomb: number[] | null;
        windows: (number | null)[][];
      };
      const labels = labelArtefacts(rr);
      const corrected = correctIntervals(rr, labels);
      expect(labels).toEqual(theirs.labels);
      near([...corrected], theirs.corrected, 1e-12);
      const time = timeDomain([corrected]);
      near(time && [time.meanRr, time.rmssd, time.sdnn, time.pnn50], theirs.time, 1e-9);
      const power = lowHighPower(corrected);
      near(power && [power.low, power.high], theirs.lomb, 1e-9);
      const windows = dfaOverTime(rr, labels, step);
      expect(windows.length).toBe(theirs.windows.length);
      windows.forEach(({ endMs, beats, artefactsPercent, alpha1, meanHeartRate }, i) => {
        near([endMs, beats, artefactsPercent, alpha1, meanHeartRate], theirs.windows[i], 1e-9);
      });
    },
  };
}
