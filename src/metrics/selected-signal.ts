import { checkOptions, type MetricsOptions } from "./options.js";
import { type PreparedSignal, prepareSignal } from "./prepare.js";
import type { MetricParameters } from "./presets.js";
import { type MetricSamples, type OrderedSamples, orderSamples, selectSamples } from "./samples.js";

/** The samples selected by options, and the signal of their speeds. */
export interface SelectedSignal {
  readonly parameters: MetricParameters;
  /** The selected samples in chronological order, with any speed. */
  readonly selected: OrderedSamples;
  readonly signal: PreparedSignal;
}

/**
 * Performs the steps 1 to 5 of "The signal" in docs/metrics.md, on which all figures about speed are based.
 *
 * @throws AsiError `BAD_ARGUMENT` for invalid samples; `BAD_OPTION`
 */
export function selectedSignal(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: MetricsOptions,
): SelectedSignal {
  const { parameters, periods, fromMs, toMs } = checkOptions(options);
  const selected = selectSamples(
    orderSamples(samples),
    fromMs ?? Number.NEGATIVE_INFINITY,
    toMs ?? Number.POSITIVE_INFINITY,
    periods,
  );
  return { parameters, selected, signal: prepareSignal(selected, parameters) };
}
