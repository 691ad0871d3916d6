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

const NONE = new Float64Array(0);

/** Limit of the memory for nodes, 8 columns of 8 bytes each: 166 MB. */
const LONGEST_HOURS = 72;
const HOUR_MS = 3_600_000;

/**
 * Amounts since the first sample with a speed, at times 100 ms apart. All are exact integers below 2^53. An amount grows
 * evenly between two samples; a node inside such an interval divides it, and gaps add nothing.
 */
export interface Nodes {
  /** Time of node 0, ms since 1970 UTC; node k is k * 100 ms later. */
  readonly startMs: number;
  /** Number of the last node. */
  readonly last: number;
  /** Half micrometres. */
  readonly distance: Float64Array;
  /** Half micrometres at or above the high-speed threshold. */
  readonly highSpeedDistance: Float64Array;
  /** Duration of the intervals of the signal, ms. */
  readonly covered: Float64Array;
  /** Twice the absolute acceleration in mm/s2, times ms; null below 5 Hz. */
  readonly acceleration: Float64Array | null;
  /** Number of started accelerations; null below 5 Hz. */
  readonly accelerations: Float64Array | null;
  /** Twice the metabolic power in mW/kg, times ms; null below 5 Hz and if it is not requested. */
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
  const columns = { ...speeds, ...changes, heartRate, heartRateKnown };
  for (const column of Object.values(columns)) if (column !== null) accumulate(column);
  return { startMs, last, ...columns };
}

function requireBoundedLength(startMs: number, endMs: number): void {
  const hours = Math.ceil((endMs - startMs) / HOUR_MS);
  if (hours <= LONGEST_HOURS) return;
  throw new AsiError(
    "BAD_ARGUMENT",
    `The samples cover ${hours} hours; peak demands are computed for at most ${LONGEST_HOURS}. Select a part with from and to.`,
  );
}

/** Cells of 100 ms. Entry k + 1 of a column is the amount in the cell that begins at node k. */
class Grid {
  readonly startMs: number;
  readonly #last: number;

  constructor(startMs: number, last: number) {
    this.startMs = startMs;
    this.#last = last;
  }

  // the last cell may be incomplete, and then has no node at its end
  column = (): Float64Array => new Float64Array(this.#last + 2);

  cellAt(ms: number): number {
    return Math.floor((ms - this.startMs) / NODE_MS);
  }

  endOf(cell: number): number {
    return this.startMs + NODE_MS * (cell + 1);
  }

  /** Adds a rate per ms from one time to another, each part to its cell. */
  spread(column: Float64Array, fromMs: number, toMs: number, rate: number): void {
    let cell = this.cellAt(fromMs);
    let partMs = fromMs;
    while (partMs < toMs) {
      const endMs = Math.min(toMs, this.endOf(cell));
      column[cell + 1] = (column[cell + 1] ?? 0) + rate * (endMs - partMs);
      partMs = endMs;
      cell++;
    }
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
  const covered = grid.column();
  for (const { first, last } of segments) {
    for (let i = first; i < last; i++) {
      const speedSum = intervalSpeedSum[i] ?? 0;
      const toMs = timestampMs[i + 1] ?? 0;
      let partMs = timestampMs[i] ?? 0;
      // like `spread`, but for three columns at once
      for (let cell = grid.cellAt(partMs); partMs < toMs; cell++) {
        const endMs = Math.min(toMs, grid.endOf(cell));
        const amount = speedSum * (endMs - partMs);
        covered[cell + 1] = (covered[cell + 1] ?? 0) + endMs - partMs;
        distance[cell + 1] = (distance[cell + 1] ?? 0) + amount;
        if (speedSum >= doubleThreshold) {
          highSpeedDistance[cell + 1] = (highSpeedDistance[cell + 1] ?? 0) + amount;
        }
        partMs = endMs;
      }
    }
  }
  return { distance, highSpeedDistance, covered };
}

/** A heart rate is valid until the next one, for at most 5 s, and only within the time of the speeds. */
function heartRateColumns(grid: Grid, samples: OrderedSamples, endMs: number) {
  const heartRate = grid.column();
  const heartRateKnown = grid.column();
  holdHeartRates(samples, endMs, (bpm, heardMs, untilMs) => {
    const fromMs = Math.max(heardMs, grid.startMs);
    const toMs = Math.min(untilMs, endMs);
    if (fromMs >= toMs) return;
    grid.spread(heartRate, fromMs, toMs, bpm);
    grid.spread(heartRateKnown, fromMs, toMs, 1);
  });
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
  const acceleration = grid.column();
  const accelerations = grid.column();
  for (const part of signals) {
    spreadTrapezoids(grid, acceleration, part, absoluteAcceleration(part));
  }
  const { threshold_1, threshold_2 } = findEfforts(signals, "accelerations", lowerThresholds);
  for (const { start_time } of [...threshold_1.values, ...threshold_2.values]) {
    const cell = grid.cellAt(start_time);
    accelerations[cell + 1] = (accelerations[cell + 1] ?? 0) + 1;
  }
  if (!withPower) return { acceleration, accelerations, metabolic: null };
  const metabolic = grid.column();
  const powers = milliwattsPerKg(signals, standstillMmPerS);
  for (const [i, part] of signals.entries()) {
    spreadTrapezoids(grid, metabolic, part, powers[i] ?? NONE);
  }
  return { acceleration, accelerations, metabolic };
}

/**
 * Adds the sum of each two neighbouring values over the time between them. This time is as long as a cell, so all are divided
 * equally.
 */
function spreadTrapezoids(
  grid: Grid,
  column: Float64Array,
  { startMs }: AccelerationSignal,
  values: Float64Array,
): void {
  const firstCell = grid.cellAt(startMs);
  const msInFirst = grid.endOf(firstCell) - startMs;
  const msInNext = NODE_MS - msInFirst;
  for (let k = 0; k + 1 < values.length; k++) {
    const sum = (values[k] ?? 0) + (values[k + 1] ?? 0);
    const cell = firstCell + k;
    column[cell + 1] = (column[cell + 1] ?? 0) + sum * msInFirst;
    if (msInNext > 0) column[cell + 2] = (column[cell + 2] ?? 0) + sum * msInNext;
  }
}

/** Whole mm/s2; 0 for an artefact. */
function absoluteAcceleration({ accelerationMmPerS2 }: AccelerationSignal): Float64Array {
  const absolute = new Float64Array(accelerationMmPerS2.length);
  for (let k = 0; k < absolute.length; k++) {
    const a = Math.abs(accelerationMmPerS2[k] ?? 0);
    absolute[k] = a > ARTEFACT_MM_PER_S2 ? 0 : Math.floor(a + 0.5);
  }
  return absolute;
}

/** Metabolic power of each signal in whole mW/kg, not negative; 0 at standstill and for an artefact. */
export function milliwattsPerKg(
  signals: readonly AccelerationSignal[],
  standstillMmPerS: number,
): readonly Float64Array[] {
  return shared(signals, `power ${standstillMmPerS}`, () =>
    signals.map(({ smoothMmPerS, accelerationMmPerS2 }) => {
      const powers = new Float64Array(smoothMmPerS.length);
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

function accumulate(column: Float64Array): void {
  let sum = 0;
  for (let k = 0; k < column.length; k++) {
    sum += column[k] ?? 0;
    column[k] = sum;
  }
}
