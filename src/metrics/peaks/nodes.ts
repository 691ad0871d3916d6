import { AsiError } from "../../errors.js";
import {
  type AccelerationSignal,
  accelerationSignals,
  isFastEnough,
  RESAMPLED_STEP_MS,
} from "../acceleration.js";
import { ARTEFACT_MM_PER_S2, findEfforts } from "../efforts.js";
import { holdHeartRates } from "../heart-rate.js";
import { metabolicPower } from "../metabolic-power.js";
import { inThousandths } from "../parameters.js";
import type { PreparedSignal } from "../prepare.js";
import type { OrderedSamples } from "../samples.js";
import type { SelectedSignal } from "../selected-signal.js";
import { shared } from "../shared.js";

/** Time between two nodes, the same as between two values of the acceleration signal. */
export const NODE_MS = RESAMPLED_STEP_MS;

const NONE = new Int32Array(0);

/** This limits the memory for nodes, 60 bytes each, to 156 MB. */
const LONGEST_HOURS = 72;
const HOUR_MS = 3_600_000;

/**
 * Amounts since the first sample with a speed, at times (nodes) that are 100 ms apart. All amounts are exact integers below 2^53.
 * An amount grows evenly between two samples, so a node between them divides it proportionally. Gaps add nothing.
 */
export interface Nodes {
  /** Time of node 0, ms since 1970 UTC; node k is k * 100 ms later. */
  readonly startMs: number;
  /** Number of the last node. */
  readonly last: number;
  /** Distance, in half micrometres. */
  readonly distance: Float64Array;
  /** Distance at or above the high-speed threshold, in half micrometres. */
  readonly highSpeedDistance: Float64Array;
  /** Duration of the intervals of the signal, ms. */
  readonly covered: Int32Array;
  /** Twice the absolute acceleration in mm/s2, times ms; null below 5 Hz. */
  readonly acceleration: Float64Array | null;
  /** Number of accelerations that have started; null below 5 Hz. */
  readonly accelerations: Float64Array | null;
  /** Twice the metabolic power in mW/kg, times ms; null below 5 Hz, and if it is not requested. */
  readonly metabolic: Float64Array | null;
  /** Beats per minute, times ms. */
  readonly heartRate: Float64Array;
  /** Duration with a known heart rate, ms. */
  readonly heartRateKnown: Float64Array;
}

export interface NodeOptions {
  /** mm/s */
  readonly highSpeedMmPerS: number;
  readonly metabolicPower: boolean;
}

/**
 * Computes the nodes of samples.
 *
 * @returns null if there is no speed
 * @throws AsiError `BAD_ARGUMENT` for more than 72 hours from the first to the last speed
 */
export function nodesOf(
  { signal, selected, parameters }: SelectedSignal,
  options: NodeOptions,
): Nodes | null {
  const { timestampMs } = signal;
  const startMs = timestampMs[0];
  const endMs = timestampMs.at(-1);
  if (startMs === undefined || endMs === undefined) return null;
  requireBoundedLength(startMs, endMs);
  const last = Math.floor((endMs - startMs) / NODE_MS);
  const grid = new Grid(startMs, last);
  const speeds = speedColumns(grid, signal, 2 * options.highSpeedMmPerS);
  const { heartRate, heartRateKnown } = heartRateColumns(grid, selected, endMs);
  const changes = accelerationColumns(grid, signal, {
    lowerThresholds: parameters.acceleration_thresholds,
    standstillMmPerS: inThousandths(parameters.standstill_speed),
    withPower: options.metabolicPower,
  });
  return { startMs, last, ...speeds, ...changes, heartRate, heartRateKnown };
}

function requireBoundedLength(startMs: number, endMs: number): void {
  const hours = Math.ceil((endMs - startMs) / HOUR_MS);
  if (hours <= LONGEST_HOURS) return;
  throw new AsiError(
    "BAD_ARGUMENT",
    `The samples cover ${hours} hours; peak demands are computed for at most ${LONGEST_HOURS}. Select a part with from and to.`,
  );
}

/** The nodes 0 to `last`, and the cells of 100 ms between them: cell k begins at node k. */
class Grid {
  readonly startMs: number;
  readonly last: number;

  constructor(startMs: number, last: number) {
    this.startMs = startMs;
    this.last = last;
  }

  column = (): Float64Array => new Float64Array(this.last + 1);

  cellAt(ms: number): number {
    return Math.floor((ms - this.startMs) / NODE_MS);
  }

  endOf(cell: number): number {
    return this.startMs + NODE_MS * (cell + 1);
  }
}

/** @param doubleThreshold twice the speed from which distance is high-speed distance, mm/s */
function speedColumns(
  grid: Grid,
  { timestampMs, segments, intervalSpeedSum }: PreparedSignal,
  doubleThreshold: number,
) {
  const distance = grid.column();
  const highSpeedDistance = grid.column();
  const covered = new Int32Array(distance.length);
  let node = 1;
  let nodeMs = grid.startMs + NODE_MS;
  let halfUm = 0;
  let highSpeedHalfUm = 0;
  let coveredMs = 0;
  for (const { first, last } of segments) {
    // the gap before the segment
    for (const firstMs = timestampMs[first] ?? 0; nodeMs <= firstMs; node++, nodeMs += NODE_MS) {
      distance[node] = halfUm;
      highSpeedDistance[node] = highSpeedHalfUm;
      covered[node] = coveredMs;
    }
    let partMs = timestampMs[first] ?? 0;
    for (let i = first; i < last; i++) {
      const speedSum = intervalSpeedSum[i] ?? 0;
      const highSpeedSum = speedSum >= doubleThreshold ? speedSum : 0;
      const toMs = timestampMs[i + 1] ?? 0;
      for (; nodeMs <= toMs; node++, nodeMs += NODE_MS) {
        const ms = nodeMs - partMs;
        halfUm += speedSum * ms;
        highSpeedHalfUm += highSpeedSum * ms;
        coveredMs += ms;
        distance[node] = halfUm;
        highSpeedDistance[node] = highSpeedHalfUm;
        covered[node] = coveredMs;
        partMs = nodeMs;
      }
      const restMs = toMs - partMs;
      halfUm += speedSum * restMs;
      highSpeedHalfUm += highSpeedSum * restMs;
      coveredMs += restMs;
      partMs = toMs;
    }
  }
  return { distance, highSpeedDistance, covered };
}

/**
 * Computes the columns of heart rates. A heart rate is valid until the next one, for at most 5 s, and only between the first and
 * the last speed.
 */
function heartRateColumns(grid: Grid, samples: OrderedSamples, endMs: number) {
  const heartRate = grid.column();
  const heartRateKnown = grid.column();
  // each heart rate with its start and end, as three numbers, because an object for each heart rate would have to be allocated
  const held: number[] = [];
  holdHeartRates(samples, endMs, (bpm, heardMs, untilMs) => {
    const fromMs = Math.max(heardMs, grid.startMs);
    const toMs = Math.min(untilMs, endMs);
    if (fromMs < toMs) held.push(bpm, fromMs, toMs);
  });
  let node = 0;
  let nodeMs = grid.startMs;
  let beats = 0;
  let knownMs = 0;
  for (let i = 0; i < held.length; i += 3) {
    const bpm = held[i] ?? 0;
    const fromMs = held[i + 1] ?? 0;
    const toMs = held[i + 2] ?? 0;
    for (; nodeMs <= fromMs; node++, nodeMs += NODE_MS) {
      heartRate[node] = beats;
      heartRateKnown[node] = knownMs;
    }
    let partMs = fromMs;
    for (; nodeMs <= toMs; node++, nodeMs += NODE_MS) {
      beats += bpm * (nodeMs - partMs);
      knownMs += nodeMs - partMs;
      heartRate[node] = beats;
      heartRateKnown[node] = knownMs;
      partMs = nodeMs;
    }
    beats += bpm * (toMs - partMs);
    knownMs += toMs - partMs;
  }
  heartRate.fill(beats, node);
  heartRateKnown.fill(knownMs, node);
  return { heartRate, heartRateKnown };
}

function accelerationColumns(
  grid: Grid,
  signal: PreparedSignal,
  {
    lowerThresholds,
    standstillMmPerS,
    withPower,
  }: { lowerThresholds: readonly [number, number]; standstillMmPerS: number; withPower: boolean },
) {
  if (!isFastEnough(signal)) return { acceleration: null, accelerations: null, metabolic: null };
  const signals = accelerationSignals(signal);
  const { threshold_1, threshold_2 } = findEfforts(signals, "accelerations", lowerThresholds);
  const starts = [...threshold_1.values, ...threshold_2.values].map(({ start_time }) => start_time);
  return {
    acceleration: trapezoidColumn(grid, signals, signals.map(absoluteAcceleration)),
    accelerations: countColumn(grid, starts),
    metabolic: withPower ? trapezoidColumn(grid, signals, milliwattsPerKg(signals, standstillMmPerS)) : null,
  };
}

/** Returns the number of instants in the cells before each node. */
function countColumn(grid: Grid, instantsMs: readonly number[]): Float64Array {
  const column = grid.column();
  const cells = instantsMs.map((ms) => grid.cellAt(ms)).sort((a, b) => a - b);
  for (const [i, cell] of cells.entries()) column.fill(i + 1, cell + 1, (cells[i + 1] ?? grid.last) + 1);
  return column;
}

/**
 * Returns the integral of the sum of every two neighbouring values over the time between them. This time is as long as a cell, so
 * the boundaries of cells divide all these times in the same proportion.
 *
 * @param values the values of each signal
 */
function trapezoidColumn(
  grid: Grid,
  signals: readonly AccelerationSignal[],
  values: readonly Int32Array[],
): Float64Array {
  const column = grid.column();
  let node = 0;
  let total = 0;
  for (const [i, { startMs }] of signals.entries()) {
    const own = values[i] ?? NONE;
    const firstCell = grid.cellAt(startMs);
    const msInFirst = grid.endOf(firstCell) - startMs;
    const msInNext = NODE_MS - msInFirst;
    for (; node <= firstCell; node++) column[node] = total;
    for (let k = 0; k + 1 < own.length; k++, node++) {
      const sum = (own[k] ?? 0) + (own[k + 1] ?? 0);
      total += sum * msInFirst;
      column[node] = total;
      total += sum * msInNext;
    }
  }
  column.fill(total, node);
  return column;
}

/** Returns the magnitude of accelerations in whole mm/s2; 0 for an artefact. */
function absoluteAcceleration({ accelerationMmPerS2 }: AccelerationSignal): Int32Array {
  const absolute = new Int32Array(accelerationMmPerS2.length);
  for (let k = 0; k < absolute.length; k++) {
    const a = Math.abs(accelerationMmPerS2[k] ?? 0);
    absolute[k] = a > ARTEFACT_MM_PER_S2 ? 0 : Math.floor(a + 0.5);
  }
  return absolute;
}

/** Returns the metabolic power for each signal in whole mW/kg, not negative; 0 at standstill and for an artefact. */
export function milliwattsPerKg(
  signals: readonly AccelerationSignal[],
  standstillMmPerS: number,
): readonly Int32Array[] {
  return shared(signals, `power ${standstillMmPerS}`, () =>
    signals.map(({ smoothMmPerS, accelerationMmPerS2 }) => {
      const powers = new Int32Array(smoothMmPerS.length);
      for (let k = 0; k < powers.length; k++) {
        const speed = smoothMmPerS[k] ?? 0;
        const a = accelerationMmPerS2[k] ?? 0;
        if (speed < standstillMmPerS || Math.abs(a) > ARTEFACT_MM_PER_S2) continue;
        powers[k] = Math.floor(1000 * metabolicPower(Math.max(0, speed) / 1000, a / 1000) + 0.5);
      }
      return powers;
    }),
  );
}
