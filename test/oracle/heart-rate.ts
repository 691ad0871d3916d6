import { fields } from "./frame-kind.js";

/** How many readings wait for a row at most (recording format, "Rows"). */
const MAX_WAITING = 16;
/** A reading belongs to a row when it is younger than this. */
const MAX_AGE_MS = 1000;

interface Reading {
  /** UTC, ms since 1970; unsigned, 64 bits. */
  timeMs: bigint;
  beatsPerMinute: number;
}

/** Joins heart-rate readings to rows by time (recording format, "Rows"). */
export class HeartRateJoin {
  readonly #fillHrMs: number;
  /** In file order. */
  #waiting: Reading[] = [];
  /** The latest of all readings that rows have dropped. */
  #dropped: Reading | null = null;

  /** @param fillHrMs greatest age in ms of a reading that is carried onto a row without its own; 0: none is carried. */
  constructor(fillHrMs: number) {
    this.#fillHrMs = fillHrMs;
  }

  /** Takes the payload of an ECG-HR. */
  receive(payload: Uint8Array): void {
    const ecgHr = fields(payload);
    const beatsPerMinute = ecgHr.getUint8(8);
    if (beatsPerMinute === 0) return;
    this.#waiting.push({ timeMs: ecgHr.getBigUint64(0, true), beatsPerMinute });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** The heart rate of the row at `timestampMs`, in beats per minute; 0 when it has none. */
  heartRateAt(timestampMs: number): number {
    // Comparisons between bigint and number are exact (ECMA-262, IsLessThan).
    const due = this.#waiting.filter((reading) => reading.timeMs <= timestampMs);
    if (due.length > 0) this.#waiting = this.#waiting.filter((reading) => reading.timeMs > timestampMs);

    const own = due.reduce<Reading | null>(later, null);
    this.#dropped = due.reduce<Reading | null>(later, this.#dropped);

    if (own && ageMs(own, timestampMs) < MAX_AGE_MS) return own.beatsPerMinute;
    if (this.#fillHrMs > 0 && this.#dropped) {
      const age = ageMs(this.#dropped, timestampMs);
      if (age >= 0 && age <= this.#fillHrMs) return this.#dropped.beatsPerMinute;
    }
    return 0;
  }
}

/** The later of two readings; of equal ones `next`, which stands later in the file. */
function later(latest: Reading | null, next: Reading): Reading {
  return latest === null || next.timeMs >= latest.timeMs ? next : latest;
}

/** Negative when the reading is later than the row. Exact: a reading that a row has dropped is not later than the year 10000. */
function ageMs(reading: Reading, timestampMs: number): number {
  return timestampMs - Number(reading.timeMs);
}
