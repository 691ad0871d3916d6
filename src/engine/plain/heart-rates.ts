import type { HrSource } from "../../types.js";

/** Maximum length of the queue of readings (docs/recording-format.md, "Rows"). */
const MAX_WAITING = 16;
/** A row uses a reading only if the reading is younger than this. */
const MAX_AGE_MS = 1000;

/** Joins heart-rate readings to rows by time (docs/recording-format.md, "Rows"). */
export class HeartRates {
  // The queue, in file order. Times in frames are unsigned 64-bit integers; those that a double cannot represent are later than
  // every row.
  readonly #times = new Float64Array(MAX_WAITING);
  readonly #rates = new Uint8Array(MAX_WAITING);
  readonly #areDerived = new Uint8Array(MAX_WAITING);
  #waiting = 0;
  // the latest reading removed from the queue
  #carriedMs = 0;
  #carriedRate = 0;
  #carriedIsDerived = false;
  #fillMs = 0;
  #source: HrSource = "device";
  /** Whether the last heart rate of a row was derived from the waveform. */
  isDerived = false;
  /** Number of readings without a row, because another one with the same time follows. */
  replaced = 0;

  /** @param fillMs maximum age in ms of a reading that is repeated in rows without their own; 0 to repeat none */
  reset(fillMs: number, source: HrSource): void {
    this.#source = source;
    this.#waiting = 0;
    this.#carriedRate = 0;
    this.replaced = 0;
    this.#fillMs = fillMs;
  }

  /** Whether rows use readings derived from the waveform. */
  get takesDerived(): boolean {
    return this.#source !== "device";
  }

  /** Adds a reading from the device; 0 means that there is none. */
  add(timeMs: number, rate: number): void {
    if (rate === 0 || this.#source === "ecg") return;
    this.#source = "device";
    this.#queue(timeMs, rate, 0);
  }

  /** Adds a reading derived from the waveform. */
  addDerived(timeMs: number, rate: number): void {
    if (this.takesDerived) this.#queue(timeMs, rate, 1);
  }

  #queue(timeMs: number, rate: number, isDerived: number): void {
    if (this.#waiting === MAX_WAITING) {
      this.#times.copyWithin(0, 1);
      this.#rates.copyWithin(0, 1);
      this.#areDerived.copyWithin(0, 1);
      this.#waiting -= 1;
    }
    this.#times[this.#waiting] = timeMs;
    this.#rates[this.#waiting] = rate;
    this.#areDerived[this.#waiting] = isDerived;
    this.#waiting += 1;
  }

  /** Returns the heart rate for a row at `ms`; 0 if there is none. */
  at(ms: number): number {
    const own = this.#waiting === 0 ? 0 : this.#take(ms);
    return own === 0 && this.#fillMs > 0 ? this.#carried(ms) : own;
  }

  // Removes all readings that are not later than the row. Returns the latest of them, and the last one if several have this time.
  #take(ms: number): number {
    let latestMs = -1;
    let previousMs = -1;
    let rate = 0;
    let isDerived = false;
    let kept = 0;
    for (let i = 0; i < this.#waiting; i++) {
      const time = this.#times[i] as number;
      if (time > ms) {
        this.#times[kept] = time;
        this.#rates[kept] = this.#rates[i] as number;
        this.#areDerived[kept] = this.#areDerived[i] as number;
        kept += 1;
      } else {
        if (time === previousMs) this.replaced += 1;
        previousMs = time;
        if (time >= latestMs) {
          latestMs = time;
          rate = this.#rates[i] as number;
          isDerived = this.#areDerived[i] === 1;
        }
      }
    }
    this.#waiting = kept;
    if (rate === 0) return 0;
    if (this.#carriedRate === 0 || latestMs >= this.#carriedMs) {
      this.#carriedMs = latestMs;
      this.#carriedRate = rate;
      this.#carriedIsDerived = isDerived;
    }
    this.isDerived = isDerived;
    return ms - latestMs < MAX_AGE_MS ? rate : 0;
  }

  #carried(ms: number): number {
    const age = ms - this.#carriedMs;
    this.isDerived = this.#carriedIsDerived;
    return age >= 0 && age <= this.#fillMs ? this.#carriedRate : 0;
  }
}
