import type { HrSource } from "../../src/types.js";
import { fields } from "./frame-kind.js";

/** Maximum number of readings that wait for a row (recording format, "Rows"). */
const MAX_WAITING = 16;
/** A reading is used for a row if its age is less than this. */
const MAX_AGE_MS = 1000;

interface Reading {
  /** UTC, ms since 1970; unsigned, 64 bits. */
  timeMs: bigint;
  beatsPerMinute: number;
  /** From the waveform instead of an ECG-HR. */
  isDerived: boolean;
}

/** Joins heart-rate readings to rows by time (recording format, "Rows"). */
export class HeartRateJoin {
  readonly #fillHrMs: number;
  #source: HrSource;
  /** In file order. */
  #waiting: Reading[] = [];
  /** The latest of all readings dropped by rows. */
  #dropped: Reading | null = null;
  /** Number of readings that another one of the same time replaced. */
  replaced = 0;

  /** @param fillHrMs maximum age in ms of a reading that is repeated on a row without its own; 0 to repeat none. */
  constructor(fillHrMs: number, source: HrSource) {
    this.#fillHrMs = fillHrMs;
    this.#source = source;
  }

  /** Adds the payload of an ECG-HR. */
  receive(payload: Uint8Array): void {
    const ecgHr = fields(payload);
    const beatsPerMinute = ecgHr.getUint8(8);
    if (beatsPerMinute === 0 || this.#source === "ecg") return;
    if (this.#source === "auto") this.#source = "device";
    this.#wait({ timeMs: ecgHr.getBigUint64(0, true), beatsPerMinute, isDerived: false });
  }

  /** Adds a reading derived from the waveform. */
  derive(timeMs: number, beatsPerMinute: number): void {
    if (this.#source === "device") return;
    this.#wait({ timeMs: BigInt(timeMs), beatsPerMinute, isDerived: true });
  }

  #wait(reading: Reading): void {
    this.#waiting.push(reading);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** The reading of the row at `timestampMs`; null if it has none. */
  readingAt(timestampMs: number): Reading | null {
    // Comparisons between bigint and number are exact (ECMA-262, IsLessThan).
    const due = this.#waiting.filter((reading) => reading.timeMs <= timestampMs);
    if (due.length > 0) this.#waiting = this.#waiting.filter((reading) => reading.timeMs > timestampMs);

    this.replaced += due.filter(({ timeMs }, i) => timeMs === due[i - 1]?.timeMs).length;
    const own = due.reduce<Reading | null>(later, null);
    this.#dropped = due.reduce<Reading | null>(later, this.#dropped);

    if (own && ageMs(own, timestampMs) < MAX_AGE_MS) return own;
    if (this.#fillHrMs > 0 && this.#dropped) {
      const age = ageMs(this.#dropped, timestampMs);
      if (age >= 0 && age <= this.#fillHrMs) return this.#dropped;
    }
    return null;
  }
}

/** The later of two readings; of equal ones `next`, which is later in the file. */
function later(latest: Reading | null, next: Reading): Reading {
  return latest === null || next.timeMs >= latest.timeMs ? next : latest;
}

/** Negative if the reading is later than the row. Exact: a reading dropped by a row is not later than the year 10000. */
function ageMs(reading: Reading, timestampMs: number): number {
  return timestampMs - Number(reading.timeMs);
}
