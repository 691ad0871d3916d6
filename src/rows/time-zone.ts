import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";

/** A period in which a time zone has a constant offset: from `fromMs` to `toMs` (exclusive), ms since 1970 UTC. */
export interface OffsetPeriod {
  readonly fromMs: number;
  readonly toMs: number;
  /** Local time minus UTC. */
  readonly offsetMs: number;
}

/**
 * Offsets are looked up for blocks of this length, at both ends. No zone has changed its offset twice within three days. The
 * shortest time between two changes in the tz database (2025b) is 3 days, 23 hours and 40 minutes, in Freetown in 1939.
 */
const BLOCK_MS = 3 * 86_400_000;
const DAY_MS = 86_400_000;
/** Maximum number of cached blocks. A recording covers one or two blocks; a damaged or hostile one can cover any number. */
const MAX_BLOCKS = 1024;

interface Block {
  /** The first instant with the offset `after`; the end of the block if its offset is constant. */
  changeMs: number;
  before: number;
  after: number;
}

/** A time zone of the tz database, from the platform (`Intl`). */
export class TimeZone {
  /** The name from the caller. */
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #blocks = new Map<number, Block>();

  /** @throws AsiError `BAD_OPTION` for a time zone that the platform does not know */
  constructor(name: string) {
    this.name = name;
    try {
      this.#format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
    } catch {
      throw unknownZone(name);
    }
    // for an empty or undefined name, the platform would use the time zone of the machine
    if (typeof name !== "string" || name === "") throw unknownZone(name);
  }

  /** Returns the period that contains an instant, in ms since 1970 UTC. */
  periodAt(ms: number): OffsetPeriod {
    const index = Math.floor(ms / BLOCK_MS);
    let block = this.#blocks.get(index);
    if (block === undefined) {
      if (this.#blocks.size >= MAX_BLOCKS) this.#blocks.clear();
      block = this.#readBlock(index * BLOCK_MS);
      this.#blocks.set(index, block);
    }
    const { changeMs, before, after } = block;
    const startMs = index * BLOCK_MS;
    return ms < changeMs
      ? { fromMs: startMs, toMs: changeMs, offsetMs: before }
      : { fromMs: changeMs, toMs: startMs + BLOCK_MS, offsetMs: after };
  }

  /** Returns the local time minus UTC at an instant, in ms. */
  offsetAt(ms: number): number {
    return this.periodAt(ms).offsetMs;
  }

  /**
   * Returns the earliest instant at which the local time is this time or a later one. `localMs` is the local time in ms since
   * 1970, as if it were UTC. For a local time that occurs twice, it returns the first instant; for one that is skipped, the
   * instant of the change.
   */
  earliestAt(localMs: number): number {
    const [early, late] = this.#candidates(localMs);
    const first = [early, late].find((ms) => ms + this.offsetAt(ms) === localMs);
    return first ?? this.#changeBefore(late);
  }

  /**
   * Returns the latest instant at which the local time is this time or an earlier one. For a skipped local time, it returns the
   * last instant before the change.
   */
  latestAt(localMs: number): number {
    const [early, late] = this.#candidates(localMs);
    const last = [late, early].find((ms) => ms + this.offsetAt(ms) === localMs);
    return last ?? this.#changeBefore(late) - 1;
  }

  // Returns the possible instants for a local time, computed with the offsets a day before and a day after it. There is at most
  // one change between the two.
  #candidates(localMs: number): [early: number, late: number] {
    const one = localMs - this.offsetAt(localMs - DAY_MS);
    const other = localMs - this.offsetAt(localMs + DAY_MS);
    return one < other ? [one, other] : [other, one];
  }

  // Returns the instant from which the offset at `ms` applies: in the block of `ms` or, if a day is skipped, in the previous
  // block.
  #changeBefore(ms: number): number {
    const { fromMs, offsetMs } = this.periodAt(ms);
    const before = this.periodAt(fromMs - 1);
    return before.offsetMs === offsetMs ? before.fromMs : fromMs;
  }

  #readBlock(startMs: number): Block {
    const endMs = startMs + BLOCK_MS;
    const before = this.#lookUp(startMs);
    const after = this.#lookUp(endMs - 1);
    if (before === after) return { changeMs: endMs, before, after };
    let last = startMs;
    let changeMs = endMs - 1;
    while (changeMs - last > 1) {
      const middle = Math.floor((last + changeMs) / 2);
      if (this.#lookUp(middle) === before) last = middle;
      else changeMs = middle;
    }
    return { changeMs, before, after };
  }

  #lookUp(ms: number): number {
    return offsetIn(this.#format.format(ms));
  }
}

/**
 * Reads the offset at the end of a date in the `longOffset` format of `Intl`, in ms.
 *
 * @throws RangeError for any other text, because an offset of 0 would result in wrong times
 */
export function offsetIn(formatted: string): number {
  // such as "5/17/2025, GMT+02:00"; "GMT" alone means no offset; before 1972, some offsets have seconds; the minus sign can be
  // U+2212
  const match = /GMT(?:([+\-\u2212])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(formatted);
  if (match === null) throw new RangeError(`the platform formats an offset as ${shown(formatted)}`);
  const [, sign = "+", hours = 0, minutes = 0, seconds = 0] = match;
  const absolute = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === "+" || absolute === 0 ? absolute : -absolute;
}

/** Formats an offset as in ISO 8601: `+02:00`, with seconds if they are not 0. */
export function offsetText(offsetMs: number): string {
  const seconds = Math.abs(offsetMs) / 1000;
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (seconds % 60 !== 0) parts.push(seconds % 60);
  return `${offsetMs < 0 ? "-" : "+"}${parts.map((part) => String(part).padStart(2, "0")).join(":")}`;
}

function unknownZone(name: unknown): AsiError {
  return new AsiError(
    "BAD_OPTION",
    `The time zone ${shown(name)} is unknown; use a name of the tz database, such as Europe/Zurich, or UTC.`,
  );
}
