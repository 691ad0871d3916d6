/** Successive RR intervals that differ by more than this share are not a pair: one of them belongs to a premature beat. */
const MAX_DIFFERENCE = 0.2;

/** Sums over a whole waveform, from which its figures follow. */
export interface WaveformSums {
  /** Seconds of signal, and those with a reading. */
  ecgSeconds: number;
  ecgReadings: number;
  /** Sum and maximum of the readings, bpm. */
  ecgReadingSum: number;
  ecgReadingMax: number;
  /** Pairs of successive RR intervals, and the sum of their squared differences, ms². */
  rrPairs: number;
  rrSquares: number;
}

/** The heart in a whole waveform. */
export interface EcgFigures {
  /** Length of the waveform in whole seconds. */
  seconds: number;
  /** Share of these seconds that have a heart rate, 0 to 1. The others lack four beats in the 8 s before them, intervals that are
   * even enough, or a signal that is clear enough; `decodeBeats` still gives the beats. */
  usable: number;
  /** Mean of the heart rates of all seconds, beats per minute; null if there are none. */
  meanBpm: number | null;
  /** The highest of them. */
  maxBpm: number | null;
  /**
   * Root mean square of successive differences of the RR intervals, ms. Without pairs that differ by more than 20 %, which
   * belong to premature or missed beats. Of the whole recording; it is a measure of a heart at rest, and no such one of a moving
   * athlete. Null if there is no pair.
   */
  rmssdMs: number | null;
}

/** Adds up the sums. */
export class WaveformTally {
  readonly #sums: WaveformSums;
  /** 0: unknown. */
  #previousRrMs = 0;

  constructor(sums: WaveformSums) {
    this.#sums = sums;
  }

  reset(): void {
    this.#previousRrMs = 0;
  }

  /** @param rrMs 0: unknown */
  addBeat(rrMs: number): void {
    const differenceMs = rrMs - this.#previousRrMs;
    const isPair = rrMs > 0 && this.#previousRrMs > 0;
    if (isPair && Math.abs(differenceMs) <= MAX_DIFFERENCE * this.#previousRrMs) {
      this.#sums.rrPairs += 1;
      this.#sums.rrSquares += differenceMs * differenceMs;
    }
    this.#previousRrMs = rrMs;
  }

  /** @param bpm 0: no reading */
  addSecond(bpm: number): void {
    this.#sums.ecgSeconds += 1;
    if (bpm === 0) return;
    this.#sums.ecgReadings += 1;
    this.#sums.ecgReadingSum += bpm;
    this.#sums.ecgReadingMax = Math.max(this.#sums.ecgReadingMax, bpm);
  }
}

/** The figures of a waveform; null if it was shorter than a second. */
export function figuresOf(sums: WaveformSums): EcgFigures | null {
  const { ecgSeconds, ecgReadings, ecgReadingSum, ecgReadingMax, rrPairs, rrSquares } = sums;
  if (ecgSeconds === 0) return null;
  return {
    seconds: ecgSeconds,
    usable: ecgReadings / ecgSeconds,
    meanBpm: ecgReadings === 0 ? null : ecgReadingSum / ecgReadings,
    maxBpm: ecgReadings === 0 ? null : ecgReadingMax,
    rmssdMs: rrPairs === 0 ? null : Math.sqrt(rrSquares / rrPairs),
  };
}
