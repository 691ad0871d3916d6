import { NODE_MS, type Nodes } from "./nodes.js";

/** The amounts for which peaks are computed. */
export const PEAK_AMOUNTS = [
  "distance",
  "high_speed_distance",
  "acceleration",
  "accelerations",
  "heart_rate",
  "metabolic_power",
] as const;

export type PeakAmount = (typeof PEAK_AMOUNTS)[number];

/** The most demanding window of a length; not rounded. */
export interface Peak {
  /** Number of the node at its start. */
  readonly node: number;
  /** Amount in the window, in the unit of the nodes. */
  readonly amount: number;
  /** Number of ms that the signal, or the known heart rates, cover. */
  readonly coveredMs: number;
}

/** A window is valid if at least 9 of 10 ms in it are covered. */
const COVERED_OF_TEN = 9;

/**
 * Returns the window with the maximum amount, or the earliest one if several are equal. For heart rates, it is the window with
 * the maximum mean.
 *
 * @param windowS length in whole s
 * @returns null if no window is sufficiently covered, or the amount is unknown
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

/** Returns the peak distances for windows of whole seconds up to a maximum length. Lengths without a peak are omitted. */
export function distancePeaks(nodes: Nodes, longestS: number): { windowS: number; peak: Peak }[] {
  const peaks: { windowS: number; peak: Peak }[] = [];
  const bounds = boundsFor(nodes.distance);
  for (let windowS = 1; windowS <= longestS; windowS++) {
    // the peak of the next longer window is usually close to this one
    const peak = largest(nodes, nodes.distance, windowS, { near: peaks.at(-1)?.peak.node ?? -1, bounds });
    if (peak !== null) peaks.push({ windowS, peak });
  }
  return peaks;
}

function cellsOf(windowS: number): number {
  return (windowS * 1000) / NODE_MS;
}

/**
 * Sizes of blocks of neighbouring nodes. The windows that start in a block are examined only if the amount from the first start
 * to the last end is larger than the largest window found so far. If a block cannot be skipped, its parts of the next size are
 * tried.
 */
const BLOCK_SIZES = [512, 128, 32, 8] as const;

const LARGEST_BLOCK = BLOCK_SIZES[0];

/** Returns the block sizes for windows of a length. Larger blocks, whose spans exceed 1.5 windows, can seldom be skipped. */
function blockSizesFor(cells: number): readonly number[] {
  return BLOCK_SIZES.filter((size, i) => 2 * size <= cells || i === BLOCK_SIZES.length - 1);
}

/**
 * Upper bounds of the amounts in windows that begin in a block of nodes. Searches for shorter windows in the same column set
 * them.
 */
interface Bounds {
  /** The largest amount in any second. An additional second adds at most this amount to a window. */
  readonly perSecond: number;
  /** The bound of each block of the largest size, minus `perSecond` times the length of the window. */
  readonly ofBlocks: Float64Array;
}

function boundsFor(column: Float64Array): Bounds {
  const cells = cellsOf(1);
  let perSecond = 0;
  for (let end = cells; end < column.length; end++) {
    const amount = (column[end] ?? 0) - (column[end - cells] ?? 0);
    if (amount > perSecond) perSecond = amount;
  }
  const blocks = Math.ceil(column.length / LARGEST_BLOCK);
  return { perSecond, ofBlocks: new Float64Array(blocks).fill(Number.POSITIVE_INFINITY) };
}

/**
 * Finds the largest window.
 *
 * @param column amounts that never decrease
 * @param near a node whose window is probably large, so that the search can skip others
 * @param bounds the bounds of shorter windows, which this call replaces
 */
function largest(
  { covered, last }: Nodes,
  column: Float64Array | null,
  windowS: number,
  { near, bounds }: { near: number; bounds: Bounds | null } = { near: -1, bounds: null },
): Peak | null {
  if (column === null) return null;
  const cells = cellsOf(windowS);
  const needed = (COVERED_OF_TEN * cells * NODE_MS) / 10;
  const count = last - cells + 1;
  const isNearEnough =
    near >= 0 && near < count && (covered[near + cells] ?? 0) - (covered[near] ?? 0) >= needed;
  // amounts are integers, so the earliest of equal windows is found
  let amount = isNearEnough ? (column[near + cells] ?? 0) - (column[near] ?? 0) - 1 : -1;
  let node = -1;
  const sizes = blockSizesFor(cells);
  const growth = bounds === null ? 0 : bounds.perSecond * windowS;
  for (let first = 0, block = 0; first < count; first += LARGEST_BLOCK, block++) {
    if (bounds !== null && (bounds.ofBlocks[block] ?? 0) + growth <= amount) continue;
    const stop = Math.min(first + LARGEST_BLOCK, count);
    let bound = 0;
    let level = 0;
    for (let begin = first; begin < stop; ) {
      const next = Math.min(begin + (sizes[level] ?? 1), stop);
      const end = next - 1 + cells;
      const inSpan = (column[end] ?? 0) - (column[begin] ?? 0);
      if (inSpan <= amount || (covered[end] ?? 0) - (covered[begin] ?? 0) < needed) {
        if (inSpan > bound) bound = inSpan;
      } else if (level + 1 < sizes.length) {
        level++;
        continue;
      } else {
        for (let from = begin; from < next; from++) {
          const inWindow = (column[from + cells] ?? 0) - (column[from] ?? 0);
          if (inWindow > bound) bound = inWindow;
          if (inWindow <= amount || (covered[from + cells] ?? 0) - (covered[from] ?? 0) < needed) continue;
          amount = inWindow;
          node = from;
        }
      }
      begin = next;
      // blocks of each size begin at multiples of this size
      while (level > 0 && (begin - first) % (sizes[level - 1] ?? 1) === 0) level--;
    }
    if (bounds !== null) bounds.ofBlocks[block] = bound - growth;
  }
  if (node < 0) return null;
  return { node, amount, coveredMs: (covered[node + cells] ?? 0) - (covered[node] ?? 0) };
}

/**
 * Limits for the size of a block, and the number of blocks in a window, for means. Means differ less than sums, so the blocks are
 * smaller.
 */
const BLOCKS_OF_MEANS = { least: 8, most: 32, inWindow: 16 } as const;

/**
 * Finds the window with the largest mean. The mean in each window of a block is at most the sum over their common span, divided
 * by the known time that all of them contain.
 */
function largestMean({ heartRate, heartRateKnown: known, last }: Nodes, windowS: number): Peak | null {
  const cells = cellsOf(windowS);
  const needed = (COVERED_OF_TEN * cells * NODE_MS) / 10;
  const count = last - cells + 1;
  const { least, most, inWindow: blocks } = BLOCKS_OF_MEANS;
  const size = Math.max(least, Math.min(most, Math.floor(cells / blocks)));
  // means are compared by products, which are exact: quotients could give wrong ties
  let node = -1;
  let amount = -1;
  let coveredMs = 1;
  for (let begin = 0; begin < count; begin += size) {
    const next = Math.min(begin + size, count);
    const end = next - 1 + cells;
    if ((known[end] ?? 0) - (known[begin] ?? 0) < needed) continue;
    const leastMs = Math.max(needed, (known[begin + cells] ?? 0) - (known[next - 1] ?? 0));
    if (((heartRate[end] ?? 0) - (heartRate[begin] ?? 0)) * coveredMs <= amount * leastMs) continue;
    for (let from = begin; from < next; from++) {
      const knownMs = (known[from + cells] ?? 0) - (known[from] ?? 0);
      if (knownMs < needed) continue;
      const inWindow = (heartRate[from + cells] ?? 0) - (heartRate[from] ?? 0);
      if (inWindow * coveredMs <= amount * knownMs) continue;
      node = from;
      amount = inWindow;
      coveredMs = knownMs;
    }
  }
  return node < 0 ? null : { node, amount, coveredMs };
}
