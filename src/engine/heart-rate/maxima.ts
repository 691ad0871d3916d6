import type { Candidates } from "./candidates.js";
import { type Envelope, samplesIn } from "./envelope.js";

// Times in s.
/** A maximum within this time after a start is a filter artefact. */
const SETTLING_S = 0.05;
/** A maximum is confirmed when no higher one follows within this time. */
const CONFIRMATION_S = 0.2;
/** A maximum of similar height at least this far away makes a beat doubtful. */
const RIVAL_S = 0.12;
/** Similar means at least 0.6 of the envelope, which is 0.36 of its square. */
const SIMILAR = 0.36;
/** A maximum is compared with the envelope on both sides, from `NEAR_S` to `SCORING_S` away. */
const NEAR_S = 0.125;
const SCORING_S = 0.28;
/** Delay from the QRS complex to the centre of the slopes of the filtered signal. */
const DELAY_S = 0.03;

/** Confirms the maxima of an envelope, scores them, and adds them to the candidates. */
export class Maxima {
  readonly #envelope: Envelope;
  readonly #candidates: Candidates;
  #rateHz = 0;
  // durations in samples
  #settling = 0;
  #confirmation = 0;
  #rival = 0;
  #near = 0;
  /** Number of samples after a maximum that are needed to score it. */
  scoring = 0;
  #start = 0;
  // a maximum that a higher one may still replace; negative if there is none
  #pending = -1;
  #pendingIsDouble = 0;
  /** Maxima with a lower or equal sum of squares are ignored. */
  least = Number.NEGATIVE_INFINITY;
  // maxima that wait for later samples, in order; at most two, because they are more than half of `SCORING_S` apart
  #waiting1 = -1;
  #waiting1IsDouble = 0;
  #waiting2 = -1;
  #waiting2IsDouble = 0;

  constructor(envelope: Envelope, candidates: Candidates) {
    this.#envelope = envelope;
    this.#candidates = candidates;
  }

  setRate(rateHz: number): void {
    this.#rateHz = rateHz;
    this.#settling = samplesIn(SETTLING_S, rateHz);
    this.#confirmation = samplesIn(CONFIRMATION_S, rateHz);
    this.#rival = samplesIn(RIVAL_S, rateHz);
    this.#near = samplesIn(NEAR_S, rateHz);
    this.scoring = samplesIn(SCORING_S, rateHz);
  }

  /** Forgets all maxima. The signal starts again with sample `n`. */
  restart(n: number): void {
    this.#start = n;
    this.#clearPending();
    this.#waiting1 = -1;
    this.#waiting2 = -1;
  }

  /** Returns the sample count at which `advance` must be called next; infinity if no maximum waits. */
  dueAt(): number {
    let next = Number.POSITIVE_INFINITY;
    if (this.#pending >= 0) next = this.#pending + this.#confirmation + 1;
    if (this.#waiting1 >= 0) next = Math.min(next, this.#waiting1 + this.scoring + 1);
    return next;
  }

  /** Confirms and scores the maxima for which `n` samples are enough. Returns whether there is a new candidate. */
  advance(n: number): boolean {
    if (this.#pending >= 0 && n > this.#pending + this.#confirmation) this.#confirm();
    if (this.#waiting1 < 0 || n <= this.#waiting1 + this.scoring) return false;
    this.#scoreWaiting();
    return true;
  }

  /** Scores the next maximum at the end of a signal. Returns false if there is none. */
  scoreNext(): boolean {
    if (this.#waiting1 < 0) {
      if (this.#pending < 0) return false;
      this.#confirm();
    }
    this.#scoreWaiting();
    return true;
  }

  /** Adds the local maximum at sample `n`. */
  take(n: number): void {
    if (n < this.#start + this.#settling) return;
    const height = this.#envelope.sumAt(n);
    if (this.#pending < 0) {
      this.#setPending(n, 0, height);
      return;
    }
    const pendingHeight = this.#envelope.sumAt(this.#pending);
    const isFar = n - this.#pending > this.#rival;
    if (height > pendingHeight) {
      this.#setPending(n, isFar && pendingHeight > SIMILAR * height ? 1 : 0, height);
    } else if (isFar && height > SIMILAR * pendingHeight) {
      this.#pendingIsDouble = 1;
    }
  }

  #setPending(n: number, isDouble: number, height: number): void {
    this.#pending = n;
    this.#pendingIsDouble = isDouble;
    this.least = SIMILAR * height;
  }

  #clearPending(): void {
    this.#pending = -1;
    this.least = Number.NEGATIVE_INFINITY;
  }

  #confirm(): void {
    if (this.#waiting1 < 0) {
      this.#waiting1 = this.#pending;
      this.#waiting1IsDouble = this.#pendingIsDouble;
    } else {
      this.#waiting2 = this.#pending;
      this.#waiting2IsDouble = this.#pendingIsDouble;
    }
    this.#clearPending();
  }

  /** Scores the maximum that has waited longest, and adds it to the candidates. */
  #scoreWaiting(): void {
    const n = this.#waiting1;
    const isDouble = this.#waiting1IsDouble;
    this.#waiting1 = this.#waiting2;
    this.#waiting1IsDouble = this.#waiting2IsDouble;
    this.#waiting2 = -1;
    const envelope = this.#envelope;
    // the envelope is smooth, so one sample every 12 ms is enough
    let sum = 0;
    let count = 0;
    let lowestBefore = Number.POSITIVE_INFINITY;
    let lowestAfter = Number.POSITIVE_INFINITY;
    for (let j = this.#near; j <= this.scoring; j += envelope.slopeSamples) {
      const before = envelope.rootAt(n - j);
      const after = envelope.rootAt(n + j);
      sum += before + after;
      count += 2;
      if (before < lowestBefore) lowestBefore = before;
      if (after < lowestAfter) lowestAfter = after;
    }
    const height = envelope.rootAt(n);
    const score = Math.max(0, height - (0.65 * sum) / count) * envelope.scale;
    const valley = height > 0 ? Math.max(lowestBefore, lowestAfter) / height : 1;
    this.#candidates.push(n, score, valley, isDouble, envelope.centreAt(n) - DELAY_S * this.#rateHz);
  }
}
