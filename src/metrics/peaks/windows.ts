import { NODE_MS, type Nodes } from "./nodes.js";

/** What can have a peak. */
export const PEAK_AMOUNTS = [
  "distance",
  "high_speed_distance",
  "acceleration",
  "accelerations",
  "heart_rate",
  "metabolic_power",
] as const;

export type PeakAmount = (typeof PEAK_AMOUNTS)[number];

/** The most demanding window of a length, exactly. */
export interface Peak {
  /** Number of the node at which it begins. */
  readonly node: number;
  /** Amount in it, in the unit of the nodes. */
  readonly amount: number;
  /** ms of it that are covered by the signal, or by known heart rates. */
  readonly coveredMs: number;
}

/** A window counts when at least 9 of 10 ms in it are covered. */
const COVERED_OF_TEN = 9;

/**
 * The window with the largest amount; of equal ones the earliest. Of heart rates, the one with the largest mean.
 *
 * @param windowS length in whole s
 * @returns null when no window is covered well enough, or the amount is unknown
 */
export function peakOf(nodes: Nodes, amount: PeakAmount, windowS: number): Peak | null {
  switch (amount) {
    case "distance":
      return largest(nodes, nodes.distance, windowS);
    case "high_speed_distance":
      return largest(nodes, nodes.highSpeedDistance, windowS);
    case "acceleration":
      return largest(nodes, nodes.acceleration, windowS);
    case "accelerations":
      return largest(nodes, nodes.accelerations, windowS);
    case "metabolic_power":
      return largest(nodes, nodes.metabolic, windowS);
    case "heart_rate":
      return largestMean(nodes, windowS);
  }
}

function cellsOf(windowS: number): number {
  return (windowS * 1000) / NODE_MS;
}

function largest({ covered, last }: Nodes, column: Float64Array | null, windowS: number): Peak | null {
  if (column === null) return null;
  const cells = cellsOf(windowS);
  const needed = (COVERED_OF_TEN * cells * NODE_MS) / 10;
  let amount = -1;
  let node = -1;
  for (let from = 0, to = cells; to <= last; from++, to++) {
    const inWindow = (column[to] ?? 0) - (column[from] ?? 0);
    if (inWindow <= amount || (covered[to] ?? 0) - (covered[from] ?? 0) < needed) continue;
    amount = inWindow;
    node = from;
  }
  if (node < 0) return null;
  return { node, amount, coveredMs: (covered[node + cells] ?? 0) - (covered[node] ?? 0) };
}

function largestMean({ heartRate, heartRateKnown: known, last }: Nodes, windowS: number): Peak | null {
  const cells = cellsOf(windowS);
  const needed = (COVERED_OF_TEN * cells * NODE_MS) / 10;
  let best: Peak | null = null;
  for (let node = 0, to = cells; to <= last; node++, to++) {
    const coveredMs = (known[to] ?? 0) - (known[node] ?? 0);
    if (coveredMs < needed) continue;
    const amount = (heartRate[to] ?? 0) - (heartRate[node] ?? 0);
    // means compared by products, which are exact: quotients would find wrong ties
    if (best === null || amount * best.coveredMs > best.amount * coveredMs)
      best = { node, amount, coveredMs };
  }
  return best;
}
