import type { Interval, PeriodsContext, SessionPeriod } from "asi-convert/squad";
import { periodsCsv, readPeriods } from "asi-convert/squad-sheets";
import { zoneName } from "../../view/times.js";
import type { SquadSession } from "../squad-session.js";

/** Returns the clock, session and players for reading and writing periods, or null until there is a session. */
export function contextOf(session: SquadSession): PeriodsContext | null {
  const interval = session.interval.peek();
  if (interval === null) return null;
  return {
    session: interval,
    timeZone: zoneName(session.settings.zone.peek()),
    players: session.names.peek(),
  };
}

/** An interval from a field, or its problem. */
export type WrittenInterval = { interval: Interval } | { problem: string };

/** Reads times according to the rules of periods.csv. */
export function writtenInterval(from: string, to: string, context: PeriodsContext): WrittenInterval {
  const cell = (text: string) => `"${text.replaceAll('"', "")}"`;
  const { periods, problems } = readPeriods(`period,start,end\nIt,${cell(from)},${cell(to)}\n`, context);
  const interval = periods[0]?.all;
  if (interval === undefined || interval === null) {
    return { problem: problems[0]?.message ?? `"${from}" is not a time. Write 15:00 or 15:00:30.` };
  }
  return { interval };
}

/** Returns the problems with the periods, according to the rules of periods.csv. Overlaps are problems, except for drills within a half. */
export function problemsOf(periods: readonly SessionPeriod[], context: PeriodsContext): string[] {
  return readPeriods(periodsCsv(periods, context), context).problems.map(({ message }) =>
    message.replace(/ \(line \d+\)/, ""),
  );
}
