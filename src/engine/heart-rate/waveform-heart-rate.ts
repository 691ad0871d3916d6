import { BeatDetector } from "./beat-detector.js";
import { MAX_RATE_HZ, MIN_RATE_HZ } from "./envelope.js";
import { type WaveformSums, WaveformTally } from "./waveform-figures.js";

/** The last instant of the year 9999, ms since 1970 UTC. No row is later. */
const MAX_TIME_MS = 253_402_300_799_999;
/** A piece continues the previous one if its time differs from the expected time by at most the larger of these tolerances. */
const TOLERANCE_SAMPLES = 1.5;
const TOLERANCE_MS = 20;
/** Share of a time error by which the clock is corrected. */
const FOLLOWING = 1 / 8;
/** A piece after a longer gap begins a new signal, ms. */
const MAX_GAP_MS = 3_600_000;
/** Contiguous pieces that are older than the known signal begin a new signal when they have this length, s. */
const OLD_SIGNAL_S = 10;

export interface WaveformListener {
  /**
   * @param timeMs ms since 1970 UTC, an integer
   * @param rrMs time since the previous beat; 0 if unknown
   * @param quality 0 to 100, an integer
   */
  onBeat(timeMs: number, rrMs: number, quality: number): void;
  /**
   * Called for a heart rate, at most once a second.
   *
   * @param timeMs the end of the second, ms since 1970 UTC, an integer
   * @param bpm the heart rate known at that time, an integer
   */
  onReading(timeMs: number, bpm: number): void;
}

/** Derives heart beats and a heart rate for each second from the pieces of an ECG waveform. */
export class WaveformHeartRate {
  readonly #listener: WaveformListener;
  readonly #detector: BeatDetector;
  readonly #tally: WaveformTally;
  /** Sample rate, Hz; 0 if unknown. */
  #rateHz = 0;
  #toleranceMs = 0;
  // the clock: time of the sample `#clockN`
  #clockMs = 0;
  #clockN = 0;
  // number of samples older than the known signal
  #oldSamples = 0;
  #oldEndMs = 0;

  /** @param sums the sums to which the waveform is added */
  constructor(listener: WaveformListener, sums: WaveformSums) {
    this.#listener = listener;
    this.#tally = new WaveformTally(sums);
    this.#detector = new BeatDetector({
      onBeat: (n, rrS, quality) => {
        this.#tally.addBeat(rrS * 1000);
        this.#listener.onBeat(this.#timeMs(n), rrS * 1000, Math.floor(100 * quality + 0.5));
      },
      onDoubtfulBeat: () => {
        this.#tally.addBeat(0);
      },
      onSecond: (n, bpm) => {
        this.#tally.addSecond(bpm);
        if (bpm > 0) this.#listener.onReading(this.#timeMs(n), Math.floor(bpm + 0.5));
      },
    });
  }

  reset(): void {
    this.#rateHz = 0;
    this.#oldSamples = 0;
    this.#tally.reset();
  }

  /**
   * Processes a piece of the waveform. Pieces with sample rates other than 100 to 1000 Hz, or after the year 9999, are ignored.
   *
   * @param timeMs time of its first sample, ms since 1970 UTC
   * @param samples memory with its samples at `offset`, 16 bits each, little-endian
   */
  add(timeMs: number, rateHz: number, samples: DataView, offset: number, count: number): void {
    if (rateHz < MIN_RATE_HZ || rateHz > MAX_RATE_HZ || count === 0 || timeMs > MAX_TIME_MS) return;
    if (rateHz !== this.#rateHz) {
      this.#begin(timeMs, rateHz);
      this.#push(samples, offset, count);
      return;
    }
    const expectedMs = this.#exactTimeMs(this.#detector.n);
    const errorMs = timeMs - expectedMs;
    if (errorMs < -this.#toleranceMs) {
      this.#addOverlapping(timeMs, expectedMs, samples, offset, count);
      return;
    }
    if (errorMs <= this.#toleranceMs) {
      this.#setClock(expectedMs + FOLLOWING * errorMs);
    } else if (errorMs > MAX_GAP_MS) {
      this.#begin(timeMs, rateHz);
    } else {
      this.#detector.skip(Math.floor((errorMs * rateHz) / 1000 + 0.5));
      this.#setClock(timeMs);
    }
    this.#push(samples, offset, count);
  }

  /** Ends the waveform, and reports the last beats. */
  end(): void {
    if (this.#rateHz !== 0) this.#detector.end();
    this.#rateHz = 0;
  }

  #addOverlapping(
    timeMs: number,
    expectedMs: number,
    samples: DataView,
    offset: number,
    count: number,
  ): void {
    const rateHz = this.#rateHz;
    const known = Math.floor(((expectedMs - timeMs) * rateHz) / 1000 + 0.5);
    if (known < count) {
      this.#setClock(expectedMs);
      this.#push(samples, offset + 2 * known, count - known);
      return;
    }
    const isContiguous = this.#oldSamples > 0 && Math.abs(timeMs - this.#oldEndMs) <= TOLERANCE_MS;
    this.#oldSamples = (isContiguous ? this.#oldSamples : 0) + count;
    this.#oldEndMs = timeMs + (count * 1000) / rateHz;
    if (this.#oldSamples < OLD_SIGNAL_S * rateHz) return;
    this.#begin(timeMs, rateHz);
    this.#push(samples, offset, count);
  }

  #begin(timeMs: number, rateHz: number): void {
    this.end();
    this.#rateHz = rateHz;
    this.#toleranceMs = Math.max((TOLERANCE_SAMPLES * 1000) / rateHz, TOLERANCE_MS);
    this.#detector.forget(rateHz);
    this.#setClock(timeMs);
  }

  #push(samples: DataView, offset: number, count: number): void {
    this.#oldSamples = 0;
    this.#detector.push(samples, offset, count);
  }

  /** Sets the clock; `ms` is the time of the next sample. */
  #setClock(ms: number): void {
    this.#clockMs = ms;
    this.#clockN = this.#detector.n;
  }

  #exactTimeMs(n: number): number {
    return this.#clockMs + ((n - this.#clockN) * 1000) / this.#rateHz;
  }

  #timeMs(n: number): number {
    return Math.floor(this.#exactTimeMs(n) + 0.5);
  }
}
