import { BeatLevels, MAX_RR_S } from "./beat-levels.js";
import { Candidates } from "./candidates.js";
import { Envelope, samplesIn } from "./envelope.js";
import { HeartRateReading, MIN_SIGNAL } from "./heart-rate-reading.js";
import { Maxima } from "./maxima.js";

/** Window of a level, and time between two checks of the levels. */
const LEVEL_WINDOW_S = 1.2;
const LEVEL_CHECK_S = 0.8;
const LONG_SILENCE_S = 6;
/** A gap longer than `HISTORY_GAP_S` clears the heart rates; a gap longer than `FORGOTTEN_GAP_S` clears the whole state. */
const HISTORY_GAP_S = 2;
const FORGOTTEN_GAP_S = 10;

export interface BeatListener {
  /**
   * @param n position of the beat: a sample index with a fraction
   * @param rrS time since the previous beat, s; 0 after a gap or a pause
   * @param quality 0 to 1: prominence of the beat
   */
  onBeat(n: number, rrS: number, quality: number): void;
  /** Called for a beat that is too doubtful to be reported. */
  onDoubtfulBeat(): void;
  /**
   * Called at the end of a second of signal.
   *
   * @param n index of the sample that follows it
   * @param bpm the heart rate known at that time, not rounded; 0 if unknown
   */
  onSecond(n: number, bpm: number): void;
}

/**
 * Finds heart beats in an ECG, sample by sample, and derives a heart rate each second. It does not depend on gain and polarity,
 * is causal, and needs constant memory. A beat is known 0.4 s after its time, or up to 1.3 s if search-back finds it.
 */
export class BeatDetector {
  readonly #listener: BeatListener;
  readonly #envelope = new Envelope();
  readonly #candidates = new Candidates();
  readonly #maxima = new Maxima(this.#envelope, this.#candidates);
  readonly #levels = new BeatLevels();
  readonly #reading = new HeartRateReading(this.#levels);
  #rateHz = 0;
  // durations in samples
  #levelWindow = 0;
  #levelCheck = 0;
  #n = 0;
  #start = 0;
  #lastBeat = Number.NEGATIVE_INFINITY;
  /** Position of the QRS complex of the last beat: a sample index with a fraction. */
  #lastQrs = 0;
  #isLinked = false;
  #isLearning = true;
  /** Whether a candidate was added since the last search-back. */
  #isSearchDue = false;
  #nextLevelCheck = 0;
  #nextSecond = 0;
  /** The sample count at which the next action is due. */
  #dueAt = 0;

  constructor(listener: BeatListener) {
    this.#listener = listener;
  }

  /** Index of the next sample. */
  get n(): number {
    return this.#n;
  }

  /** Clears the state. The next sample has the index 0. */
  forget(rateHz: number): void {
    if (rateHz !== this.#rateHz) this.#setRate(rateHz);
    this.#n = 0;
    this.#levels.clear();
    this.#reading.clear();
    this.#isLearning = true;
    this.#lastBeat = Number.NEGATIVE_INFINITY;
    this.#nextSecond = rateHz;
    this.#restart();
  }

  #setRate(rateHz: number): void {
    this.#rateHz = rateHz;
    this.#envelope.setRate(rateHz);
    this.#maxima.setRate(rateHz);
    this.#levelWindow = samplesIn(LEVEL_WINDOW_S, rateHz);
    this.#levelCheck = samplesIn(LEVEL_CHECK_S, rateHz);
  }

  #restart(): void {
    this.#envelope.restart();
    this.#candidates.clear();
    this.#start = this.#n;
    this.#maxima.restart(this.#n);
    this.#isLinked = false;
    this.#isSearchDue = false;
    this.#nextLevelCheck = this.#n + 3 * this.#levelWindow;
    this.#schedule();
  }

  /** Handles missing samples: ends the signal before them, and starts again after them. `samples` is their number. */
  skip(samples: number): void {
    this.end();
    if (samples > FORGOTTEN_GAP_S * this.#rateHz) {
      this.forget(this.#rateHz);
      return;
    }
    this.#n += samples;
    // a second that ends within the gap is not evaluated
    this.#nextSecond = (Math.floor(this.#n / this.#rateHz) + 1) * this.#rateHz;
    if (samples > HISTORY_GAP_S * this.#rateHz) {
      this.#levels.clearRrs();
      this.#reading.clear();
    }
    this.#restart();
  }

  /** Ends the signal, and classifies the last maxima as if silence followed. */
  end(): void {
    this.#envelope.silence(this.#n, this.#n + this.#maxima.scoring);
    while (this.#maxima.scoreNext()) this.#classifyNew();
  }

  /** Processes `count` samples (little-endian, 16 bits) at `offset`. */
  push(samples: DataView, offset: number, count: number): void {
    const first = this.#n;
    const end = first + count;
    for (;;) {
      const taken = this.#envelope.take(
        samples,
        offset + 2 * (this.#n - first),
        this.#n,
        Math.min(end, this.#dueAt),
        this.#maxima.least,
      );
      this.#n = Math.abs(taken);
      if (taken < 0) this.#maxima.take(this.#n - 2);
      if (taken < 0 || this.#n >= this.#dueAt) this.#handleEvents();
      if (this.#n >= end) return;
    }
  }

  #schedule(): void {
    let next = Math.min(this.#nextSecond, this.#nextLevelCheck, this.#maxima.dueAt());
    if (this.#isSearchDue) next = Math.min(next, this.#searchTime());
    this.#dueAt = next;
  }

  #handleEvents(): void {
    const n = this.#n;
    if (this.#maxima.advance(n)) this.#classifyNew();
    if (this.#isSearchDue && n >= this.#searchTime()) this.#searchBack();
    if (n >= this.#nextLevelCheck) {
      this.#checkLevels();
      this.#nextLevelCheck = n + this.#levelCheck;
    }
    if (n >= this.#nextSecond) this.#endSecond();
    this.#schedule();
  }

  /** Classifies the last candidate. */
  #classifyNew(): void {
    if (this.#isLearning) return;
    const last = this.#candidates.length - 1;
    if (this.#isBeat(last)) {
      this.#accept(last);
    } else {
      this.#levels.reject(this.#candidates.score(last));
      this.#isSearchDue = true;
    }
  }

  #isBeat(candidate: number): boolean {
    const candidates = this.#candidates;
    const { signal, noise, shortRrS } = this.#levels;
    const sinceBeatS = (candidates.n(candidate) - this.#lastBeat) / this.#rateHz;
    let soonS = 0.9 * shortRrS;
    if (candidates.valley(candidate) < 0.3 && noise < 0.1 * signal) soonS = Math.min(soonS, 0.45);
    let share = 0.33;
    if (sinceBeatS < soonS) {
      share = sinceBeatS <= 0.2 ? 0.9 : 0.9 - (0.57 * (sinceBeatS - 0.2)) / (soonS - 0.2);
    }
    return candidates.score(candidate) > noise + share * (signal - noise);
  }

  #accept(candidate: number): void {
    const candidates = this.#candidates;
    const n = candidates.n(candidate);
    const score = candidates.score(candidate);
    this.#levels.accept(score);
    this.#reading.addBeat(score, candidates.valley(candidate), candidates.isDouble(candidate));
    let intervalS = this.#isLinked ? (n - this.#lastBeat) / this.#rateHz : 0;
    if (intervalS >= MAX_RR_S) intervalS = 0;
    if (intervalS > 0) {
      this.#levels.addRr(intervalS);
      this.#reading.addRr(intervalS, n / this.#rateHz);
    }
    const qrs = candidates.qrs(candidate);
    const rrS = intervalS > 0 ? (qrs - this.#lastQrs) / this.#rateHz : 0;
    this.#lastBeat = n;
    this.#lastQrs = qrs;
    this.#isLinked = true;
    if (this.#reading.lastValley > 0.6) {
      this.#listener.onDoubtfulBeat();
      return;
    }
    const { signal, noise } = this.#levels;
    const quality = Math.max(0, 1 - Math.max(candidates.valley(candidate), noise / signal));
    this.#listener.onBeat(qrs, rrS, quality);
  }

  /** Classifies the candidates, starting with the given one. */
  #classifyFrom(candidate: number): void {
    for (let i = candidate; i < this.#candidates.length; i++) {
      if (this.#isBeat(i)) this.#accept(i);
    }
  }

  /** Returns the sample count at which the search for a missing beat starts. */
  #searchTime(): number {
    return this.#lastBeat + 1.6 * this.#levels.rrS * this.#rateHz + this.#maxima.scoring;
  }

  #searchBack(): void {
    this.#isSearchDue = false;
    const candidates = this.#candidates;
    const { signal, noise } = this.#levels;
    let best = -1;
    for (let i = candidates.firstAfter(this.#lastBeat); i < candidates.length; i++) {
      if (candidates.n(i) - this.#lastBeat < 0.3 * this.#rateHz) continue;
      if (best < 0 || candidates.score(i) > candidates.score(best)) best = i;
    }
    if (best < 0) return;
    const level = 1.1 * noise;
    if (candidates.score(best) <= level + 0.14 * (signal - level)) return;
    this.#accept(best);
    this.#classifyFrom(best + 1);
  }

  #checkLevels(): void {
    const candidates = this.#candidates;
    let a = 0;
    let b = 0;
    let c = 0;
    for (let i = candidates.length - 1; i >= 0; i--) {
      const age = this.#ageOf(i);
      const score = candidates.score(i);
      if (age < this.#levelWindow) a = Math.max(a, score);
      else if (age < 2 * this.#levelWindow) b = Math.max(b, score);
      else if (age < 3 * this.#levelWindow) c = Math.max(c, score);
      else break;
    }
    const low = Math.min(a, b, c);
    const high = Math.max(a, b, c);
    const middle = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    const silentSamples = this.#n - Math.max(this.#lastBeat, this.#start);
    if (this.#isLearning) {
      if (middle < MIN_SIGNAL) return;
      this.#setLevel(middle);
      this.#isLearning = false;
      this.#classifyFrom(candidates.firstAfter(this.#lastBeat));
    } else if (silentSamples >= 3 * this.#levelWindow) {
      const { signal } = this.#levels;
      const isSteady = high <= 3 * low && middle >= MIN_SIGNAL;
      if (!isSteady || (middle < 0.25 * signal && silentSamples < LONG_SILENCE_S * this.#rateHz)) return;
      this.#setLevel(middle);
      this.#classifyFrom(candidates.firstAfter(this.#lastBeat));
    } else if (low > 4 * this.#levels.signal) {
      this.#setLevel(middle);
      this.#levels.clearRrs();
    }
  }

  /** Returns the number of samples since a candidate was scored. */
  #ageOf(candidate: number): number {
    return this.#n - 1 - (this.#candidates.n(candidate) + this.#maxima.scoring);
  }

  #setLevel(level: number): void {
    this.#levels.setSignal(level);
    const candidates = this.#candidates;
    for (let i = 0; i < candidates.length; i++) {
      if (this.#ageOf(i) < 3 * this.#levelWindow && candidates.score(i) < 0.4 * level) {
        this.#levels.reject(candidates.score(i));
      }
    }
    this.#reading.clear();
    this.#isLinked = false;
  }

  #endSecond(): void {
    const n = this.#n;
    this.#nextSecond += this.#rateHz;
    this.#envelope.refresh(n);
    const bpm = this.#isLearning ? 0 : this.#reading.at(n / this.#rateHz, this.#lastBeat / this.#rateHz);
    this.#listener.onSecond(n, bpm);
  }
}
