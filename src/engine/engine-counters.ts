import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import type { DamagePlace, Range, Report } from "../types.js";
import type { Produced, Recorded } from "./engine.js";
import { NumberList, withList } from "./lists.js";

/** The counters of an engine, in the order in which the core writes them (`counters` in assembly/index.ts). */
export const COUNTERS = [
  "writtenBytes",
  "readBytes",
  "knownBytes",
  "unknownBytes",
  "headerFrames",
  "gnssFrames",
  "ecgHrFrames",
  "ecgRawFrames",
  "unknownFrames",
  "badChecksums",
  "overlong",
  "overruns",
  "rows",
  "rowsWithHr",
  "rowsTwoD",
  "withoutDateOrTime",
  "withoutFixOk",
  "withoutFixType",
  "outOfRange",
  "withBadDate",
  "earliestMs",
  "latestMs",
  "producedRows",
  "spanEarliestMs",
  "spanLatestMs",
  "rangeStartMs",
  "rangeStopMs",
  "rangeRows",
  "ecgRawHz",
  "rowsWithDerivedHr",
  "ecgSeconds",
  "ecgReadings",
  "ecgReadingSum",
  "ecgReadingMax",
  "rrPairs",
  "rrSquares",
  "rowsBackwards",
  "replacedReadings",
  "damageSignal",
  "damageOffset",
  "damageAfterMs",
] as const;

/**
 * The counters of an engine. `span...` counters refer to the produced rows of the last range with such rows, `range...` counters
 * to the last range. Times are undefined if there are no rows.
 */
export type Counters = Record<(typeof COUNTERS)[number], number>;

const rangeCounts = new WeakMap<Report, number>();

/**
 * Returns a report without the list of its ranges, and their number. Does not create the list, which can be as long as the recording.
 *
 * @throws AsiError `BAD_ARGUMENT` if the argument is not a report
 */
export function withoutRanges(report: Report): { rest: Omit<Report, "ranges">; count: number } {
  if (typeof report !== "object" || report === null || !("ranges" in report))
    throw new AsiError("BAD_ARGUMENT", `The report is ${shown(report)}; pass a report of this library.`);
  const keys = (Object.keys(report) as (keyof Report)[]).filter((key) => key !== "ranges");
  const rest = Object.fromEntries(keys.map((key) => [key, report[key]])) as unknown as Omit<Report, "ranges">;
  return { rest, count: rangeCounts.get(report) ?? report.ranges.length };
}

/** Collects the ranges of one recording and the positions at which the output changes to another range. */
export class RangeLog {
  /** Three numbers for each completed range: start, stop, rows. */
  readonly #closed = new NumberList();
  /**
   * Three numbers for each change to another range: the start of the output of the range, and the earliest and latest produced
   * row of the previous range (NaN for the first range).
   */
  readonly #breaks = new NumberList();

  /** Adds copies of the entries from one step. Each entry consists of three numbers. */
  append(closed: Float64Array, breaks: Float64Array): void {
    this.#closed.append(closed);
    this.#breaks.append(breaks);
  }

  report(a: Counters): Report {
    const closed = this.#closed.pieces();
    const report = {
      bytes: {
        total: a.writtenBytes,
        known: a.knownBytes,
        unknown: a.unknownBytes,
        skipped: a.readBytes - a.knownBytes - a.unknownBytes,
      },
      frames: {
        header: a.headerFrames,
        gnss: a.gnssFrames,
        ecgHr: a.ecgHrFrames,
        ecgRaw: a.ecgRawFrames,
        unknown: a.unknownFrames,
      },
      damage: { badChecksums: a.badChecksums, overlong: a.overlong, overruns: a.overruns },
      ...firstDamageOf(a),
      rows: {
        total: a.rows,
        withHr: a.rowsWithHr,
        twoD: a.rowsTwoD,
        ...(a.rowsWithDerivedHr > 0 && { withDerivedHr: a.rowsWithDerivedHr }),
        ...(a.rowsBackwards > 0 && { backwards: a.rowsBackwards }),
        ...(a.replacedReadings > 0 && { replacedHr: a.replacedReadings }),
      },
      gnssWithoutRow: {
        noDateOrTime: a.withoutDateOrTime,
        noFixOk: a.withoutFixOk,
        fixType: a.withoutFixType,
        outOfRange: a.outOfRange,
        badDate: a.withBadDate,
      },
      start: a.rows === 0 ? null : a.earliestMs,
      end: a.rows === 0 ? null : a.latestMs,
    };
    const { rows, rangeStartMs: start, rangeStopMs: stop, rangeRows: size } = a;
    const known = this.#closed.length / 3;
    const listed = withList(report, "ranges", known, () => {
      if (rows === 0) return [];
      const ranges = entriesOf(closed, (start, stop, size): Range => ({ start, stop, size }));
      ranges.push({ start, stop, size });
      return ranges;
    });
    rangeCounts.set(listed, rows === 0 ? 0 : known + 1);
    return listed;
  }

  produced({ producedRows: rows, spanEarliestMs, spanLatestMs }: Counters): Produced {
    if (rows === 0) return { rows, start: null, end: null, spans: [] };
    let start = spanEarliestMs;
    let end = spanLatestMs;
    const pieces = this.#breaks.pieces();
    for (const numbers of pieces) {
      for (let i = 0; i < numbers.length; i += 3) {
        // there is no span before the first break
        if (Number.isNaN(numbers[i + 1])) continue;
        start = Math.min(start, numbers[i + 1] ?? start);
        end = Math.max(end, numbers[i + 2] ?? end);
      }
    }
    return withList({ rows, start, end }, "spans", this.#breaks.length / 3, () => [
      ...entriesOf(pieces, (_, spanStart, spanEnd) => ({ start: spanStart, end: spanEnd })).slice(1),
      { start: spanEarliestMs, end: spanLatestMs },
    ]);
  }

  recorded({ rows, rangeStartMs, rangeStopMs }: Counters): Recorded {
    if (rows === 0) return { ranges: 0, ms: 0 };
    let ms = Math.abs(rangeStopMs - rangeStartMs);
    for (const numbers of this.#closed.pieces()) {
      for (let i = 0; i < numbers.length; i += 3) ms += Math.abs((numbers[i + 1] ?? 0) - (numbers[i] ?? 0));
    }
    return { ranges: this.#closed.length / 3 + 1, ms };
  }
}

/** The values that core steps return for damage, starting at `FIRST_DAMAGE_SIGNAL` (assembly/frame.ts). */
export const DAMAGE_KINDS = ["badChecksums", "overlong", "overruns"] as const;
export const FIRST_DAMAGE_SIGNAL = 3;

/** Converts the result of a step of the core to a kind of damage; undefined for any other result. */
export const damageOf = (signal: number): DamagePlace["kind"] | undefined =>
  DAMAGE_KINDS[signal - FIRST_DAMAGE_SIGNAL];

function firstDamageOf({ damageSignal, damageOffset, damageAfterMs }: Counters): {
  firstDamage?: DamagePlace;
} {
  const kind = damageOf(damageSignal);
  if (kind === undefined) return {};
  const afterMs = Number.isNaN(damageAfterMs) ? null : damageAfterMs;
  return { firstDamage: { byteOffset: damageOffset, kind, afterMs } };
}

/** Calls `make` with each group of three numbers. */
function entriesOf<T>(
  pieces: readonly Float64Array[],
  make: (first: number, second: number, third: number) => T,
): T[] {
  const entries: T[] = [];
  for (const numbers of pieces) {
    for (let i = 0; i < numbers.length; i += 3) {
      entries.push(make(numbers[i] ?? 0, numbers[i + 1] ?? 0, numbers[i + 2] ?? 0));
    }
  }
  return entries;
}
