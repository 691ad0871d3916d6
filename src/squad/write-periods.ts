import { guarded } from "../rows/csv-text.js";
import { offsetText, TimeZone } from "../rows/time-zone.js";
import type { Interval } from "./interval.js";
import type { PeriodsContext, SessionPeriod } from "./periods.js";
import { readPeriods } from "./read-periods.js";
import { nameKey } from "./roster.js";

/**
 * Writes periods as a `periods.csv` from which {@link readPeriods} reads the same periods. Times are local, with the date and the UTC
 * offset if the time alone is ambiguous.
 *
 * @throws AsiError `BAD_OPTION` for an unknown time zone
 */
export function periodsCsv(periods: readonly SessionPeriod[], context: PeriodsContext): string {
  for (const form of ["time", "date", "offset"] as const) {
    const csv = text(periods, context, form);
    if (isSame(readPeriods(csv, context).periods, periods)) return csv;
  }
  return text(periods, context, "date");
}

function text(
  periods: readonly SessionPeriod[],
  { timeZone, players }: PeriodsContext,
  form: "time" | "date" | "offset",
): string {
  const zone = new TimeZone(timeZone ?? "UTC");
  const names = new Map(players.map((name) => [nameKey(name), name]));
  const clock = (ms: number) => {
    const local = new Date(ms + zone.offsetAt(ms))
      .toISOString()
      .replace("T", " ")
      .replace(/(\.000)?Z$/, "");
    if (form === "time") return local.slice(11);
    return form === "date" ? local : `${local}${offsetText(zone.offsetAt(ms))}`;
  };
  const timesOf = ({ startMs, endMs }: Interval) => [clock(startMs), clock(endMs)];
  const lines = periods.flatMap(({ name: named, all, own }) => {
    const name = guarded(named.trim());
    return [
      ...(all === null ? [] : [[name, ...timesOf(all), ""]]),
      ...[...own].flatMap(([key, intervals]) => {
        const player = guarded((names.get(key) ?? key).trim());
        return intervals.length === 0
          ? [[name, "-", "-", player]]
          : intervals.map((one) => [name, ...timesOf(one), player]);
      }),
    ];
  });
  return [["period", "start", "end", "player"], ...lines]
    .map((cells) => `${cells.map(quoted).join(",")}\n`)
    .join("");
}

/** Quotes a cell if necessary (RFC 4180). */
const quoted = (cell: string) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

function isSame(a: readonly SessionPeriod[], b: readonly SessionPeriod[]): boolean {
  const plain = (periods: readonly SessionPeriod[]) =>
    JSON.stringify(periods.map(({ name, all, own }) => [name, all, [...own].sort()]));
  return plain(a) === plain(b);
}
