import type { Metrics } from "asi-convert/metrics";

/** Computed data of a time frame, as returned by the API. */
export interface ComputedData extends Metrics {
  /** ms since 1970 UTC. */
  readonly last_computation: number;
}

/** Returns computed data with the keys in the order of the API. */
export function computedDataFrom(metrics: Metrics, computedAtMs: number): ComputedData {
  const { first_timestamp, last_timestamp, ...figures } = metrics;
  return { first_timestamp, last_timestamp, last_computation: computedAtMs, ...figures };
}
