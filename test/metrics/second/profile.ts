import { expect } from "vitest";
import { accelerationSignals } from "../../../src/metrics/acceleration.js";
import { fitProfile, highestOfSessions } from "../../../src/metrics/person/acceleration-speed.js";
import { heldMaxSpeed } from "../../../src/metrics/person/max-speed.js";
import { selectedSignal } from "../../../src/metrics/selected-signal.js";
import { columnsOf, type TestSample } from "../golden/sessions.js";
import { near } from "./peaks.js";
import { columnsForPython } from "./signals.js";
import type { Comparison } from "./tasks.js";

export function profileComparison(samples: readonly TestSample[]): Comparison {
  return {
    task: { figure: "profile", ...columnsForPython(samples) },
    compare(answer) {
      const { held, n, first, final } = answer as {
        held: number | null;
        n: number;
        first: (number | null)[] | null;
        final: (number | null)[] | null;
      };
      const columns = columnsOf(samples);
      near([heldMaxSpeed(accelerationSignals(selectedSignal(columns, {}).signal))], [held], 1e-12);
      const points = highestOfSessions([columns]);
      expect(points.length).toBe(n);
      const fit = fitProfile(points);
      if (fit === null) return expect(final).toBeNull();
      near([fit.before.intercept, fit.before.slope, fit.before.r2], first, 1e-8);
      near([fit.after.n, fit.after.intercept, fit.after.slope, fit.after.r2], final, 1e-8);
    },
  };
}
