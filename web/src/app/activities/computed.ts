import type { Resource } from "asi-client";
import type { Metrics } from "asi-convert/metrics";
import { recordedTimeMs } from "../../recording/recorded-time.js";
import type { Figures } from "../../recording/recording.js";

/** Computed data with their definition, from the API with `with_definition=true`. */
export type Computed = Metrics & { readonly last_computation: number };

/** @throws Error for data without a definition; a response to `with_definition=true` always has one */
export function computedOf(data: Resource["ComputedData"]): Computed {
  if (data.definition === undefined) throw new Error("The computed data have no definition.");
  const sum = (runs: { values: readonly { distance: number }[] }) =>
    runs.values.reduce((metres, { distance }) => metres + distance, 0);
  // figures for results from earlier rules, which lack them until the service recomputes the results
  const earlier = {
    sprint_distance: sum(data.sprint.threshold_1),
    hid_distance: { threshold_1: sum(data.hid.threshold_1), threshold_2: sum(data.hid.threshold_2) },
    has_accelerations: true,
    too_fast: { samples: 0, duration: 0 },
  };
  return { ...earlier, ...data } as unknown as Computed;
}

/** Returns the data in the form of the viewer's panels. */
export const figuresOf = (computed: Computed): Figures => ({
  metrics: computed,
  rows: 0,
  recordedMs: recordedTimeMs(computed),
});
