/** Successive RR intervals that differ by more than this share are not a pair, because one of them belongs to a premature
 * beat. */
const MAX_DIFFERENCE = 0.2;

/** Sums over a whole waveform, for its figures. */
export interface WaveformSums {
  /** The number of seconds of signal, and of seconds with a reading. */
  ecgSeconds: number;
  ecgReadings: number;
  /** The sum and the maximum of the readings, bpm. */
  ecgReadingSum: number;
  ecgReadingMax: number;
  /** The number of pairs of successive RR intervals, and the sum of their squared differences, ms². */
  rrPairs: number;
  rrSquares: number;
}

/** Heart figures of a whole waveform. */
export interface EcgFigures {
  /** Length of the waveform in whole seconds. */
  seconds: number;
  /**
   * Share of these seconds with a heart rate, 0 to 1. The others do not have four beats in the 8 s before them, or their
   * intervals are too uneven, or the signal is too unclear; `decodeBeats` still returns their beats.
   */
  usable: number;
  /** Mean of the heart rates of all seconds, in beats per minute; null if there are no heart rates. */
  meanBpm: number | null;
  /** Maximum of these heart rates. */
  maxBpm: number | null;
  /**
   * Root mean square of the successive differences between RR intervals, ms. Pairs that differ by more than 20 % are excluded,
   * because they belong to premature or missed beats. The value is computed for the whole recording; it is meaningful at rest,
   * but not for a moving athlete. Null if there is no pair.
   */
  rmssdMs: number | null;
}

/** Computes the sums of a waveform. */
export class WaveformTally {
  readonly #sums: WaveformSums;
  /** The previous RR interval, ms; 0 if unknown. */
  #previousRrMs = 0;

  constructor(sums: WaveformSums) {
    this.#sums = sums;
  }

  reset(): void {
    this.#previousRrMs = 0;
  }

  /** Adds a beat. `rrMs` is the interval that ends with it; 0 if it is unknown. */
  addBeat(rrMs: number): void {
    const differenceMs = rrMs - this.#previousRrMs;
    const isPair = rrMs > 0 && this.#previousRrMs > 0;
    if (isPair && Math.abs(differenceMs) <= MAX_DIFFERENCE * this.#previousRrMs) {
      this.#sums.rrPairs += 1;
      this.#sums.rrSquares += differenceMs * differenceMs;
    }
    this.#previousRrMs = rrMs;
  }

  /** Adds a second of signal. `bpm` is its reading; 0 if there is none. */
  addSecond(bpm: number): void {
    this.#sums.ecgSeconds += 1;
    if (bpm === 0) return;
    this.#sums.ecgReadings += 1;
    this.#sums.ecgReadingSum += bpm;
    this.#sums.ecgReadingMax = Math.max(this.#sums.ecgReadingMax, bpm);
  }
}

/** Returns the figures of a waveform; null if it is shorter than a second. */
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
