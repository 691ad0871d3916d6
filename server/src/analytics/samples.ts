/** Marks a sample without a usable speed in {@link SampleColumns.speedMmPerS}; any negative value has this meaning. */
export const NO_SPEED = -1;

/** Marks a sample without a heart rate in {@link SampleColumns.heartRateBpm}. */
export const NO_HEART_RATE = 0;

/** Samples of one device as columns of equal length, in strictly ascending order of time. */
export interface SampleColumns {
  /** Times, integer ms since 1970 UTC. */
  readonly timestampMs: Float64Array;
  /** Speed over ground in mm/s; negative where the device gave none. */
  readonly speedMmPerS: Int32Array;
  /** Heart rate in beats per minute; 0 where there is none. */
  readonly heartRateBpm: Uint8Array;
}

/** Half-open interval `[startMs, endMs)` in integer ms since 1970 UTC. */
export interface OwnershipInterval {
  readonly startMs: number;
  readonly endMs: number;
}

/** The properties of a time frame that the computation uses. */
export interface AnalysisFrame {
  /** First time of the frame, integer ms since 1970 UTC. */
  readonly startMs: number;
  /** Last instant of the frame (inclusive), integer ms since 1970 UTC; above `startMs`, at most 7 days later. */
  readonly stopMs: number;
  /** When the owner of the frame owned the device, in any order. Samples outside are ignored. */
  readonly ownership: readonly OwnershipInterval[];
  /** Birth date of the athlete, `YYYY-MM-DD`; null when unknown. */
  readonly athleteBirthDate: string | null;
}

/**
 * Selects the samples that a time frame may use: `startMs <= t <= stopMs` and inside an ownership interval.
 *
 * @param samples columns in strictly ascending order of time, possibly reaching beyond the frame
 * @returns columns with the selected samples, in the same order; they may share memory with `samples`
 * @throws RangeError when two successive selected samples are not in strictly ascending order
 */
export function selectSamples(samples: SampleColumns, frame: AnalysisFrame): SampleColumns {
  const chosen = ownedPeriods(frame).map(({ startMs, endMs }) => {
    const from = countBefore(samples.timestampMs, startMs);
    const to = countBefore(samples.timestampMs, endMs);
    return slice(samples, from, Math.max(from, to));
  });
  const [only] = chosen;
  const selected = only !== undefined && chosen.length === 1 ? only : concatenate(chosen);
  refuseUnordered(selected.timestampMs);
  return selected;
}

/** The ownership within the frame as disjoint intervals in ascending order. */
function ownedPeriods(frame: AnalysisFrame): OwnershipInterval[] {
  const periods: OwnershipInterval[] = [];
  for (const owned of [...frame.ownership].sort((a, b) => a.startMs - b.startMs)) {
    // Times are integers, so the half-open interval ends 1 ms after the last time of the frame.
    const startMs = Math.max(owned.startMs, frame.startMs, periods.at(-1)?.endMs ?? frame.startMs);
    const endMs = Math.min(owned.endMs, frame.stopMs + 1);
    if (startMs < endMs) periods.push({ startMs, endMs });
  }
  return periods;
}

/** How many times are before `t`, by binary search. */
function countBefore(timestampMs: Float64Array, t: number): number {
  let low = 0;
  let high = timestampMs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timestampMs[middle] ?? t) < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

function slice(
  { timestampMs, speedMmPerS, heartRateBpm }: SampleColumns,
  from: number,
  to: number,
): SampleColumns {
  return {
    timestampMs: timestampMs.subarray(from, to),
    speedMmPerS: speedMmPerS.subarray(from, to),
    heartRateBpm: heartRateBpm.subarray(from, to),
  };
}

function concatenate(parts: readonly SampleColumns[]): SampleColumns {
  const length = parts.reduce((sum, { timestampMs }) => sum + timestampMs.length, 0);
  const whole = {
    timestampMs: new Float64Array(length),
    speedMmPerS: new Int32Array(length),
    heartRateBpm: new Uint8Array(length),
  };
  let offset = 0;
  for (const part of parts) {
    whole.timestampMs.set(part.timestampMs, offset);
    whole.speedMmPerS.set(part.speedMmPerS, offset);
    whole.heartRateBpm.set(part.heartRateBpm, offset);
    offset += part.timestampMs.length;
  }
  return whole;
}

function refuseUnordered(timestampMs: Float64Array): void {
  let previousMs = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < timestampMs.length; i++) {
    const t = timestampMs[i] ?? Number.NaN;
    if (!(t > previousMs)) {
      throw new RangeError(
        `Sample ${i} of the frame (t = ${t} ms) is not later than the one before it: sort the samples by time`,
      );
    }
    previousMs = t;
  }
}
