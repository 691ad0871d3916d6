import { sameButMarks } from "./distinct-names.js";
import type { Interval } from "./interval.js";
import { type KnownColumn, type KnownRow, readKnownColumns } from "./known-columns.js";
import { addDisjoint } from "./ordered-intervals.js";
import type { PeriodsContext, SessionPeriod } from "./periods.js";
import { nameKey } from "./roster.js";
import { SessionClock } from "./session-clock.js";
import { headersText, type SheetProblem } from "./sheet.js";

const COLUMNS: ReadonlyMap<string, KnownColumn> = new Map(
  ["period", "start", "end", "player"].map((column) => [column, { column, unit: "" }]),
);

const DAY_MS = 86_400_000;
/**
 * Maximum length of a period *(choice)*: a week, and one hour for the end of daylight saving time. A longer period probably has a wrong
 * date.
 */
const MAX_PERIOD_MS = 7 * DAY_MS + 3_600_000;

const PERIODS_NEED = "Periods need the columns period, start and end.";
/** Maximum number of periods of a session *(choice)*. */
const MOST_PERIODS = 200;

/** Maximum number of reported pairs of periods that overlap *(choice)*. */
const MOST_OVERLAPS = 100;

/** Names that the tables of `asi squad` and `asi stats` use for the whole session. */
const RESERVED_NAMES = ["session", "whole"];

/**
 * Reads the periods of a session: the columns `period`, `start`, `end` and optionally `player`. Times are local; a date before the time is
 * required only if the session has that time on several days. A row with a player replaces the times of the period for that player. A
 * player who leaves and returns has several rows; a player who does not take part has a row with `-` as times.
 *
 * @param file the bytes of a CSV, or its text
 * @returns the periods in the order of their first rows, and every problem with its line
 * @throws AsiError `BAD_OPTION` for an unknown time zone
 */
export function readPeriods(
  file: Uint8Array | string,
  { session, timeZone, players, maxRows }: PeriodsContext,
): { periods: SessionPeriod[]; problems: SheetProblem[] } {
  const clock = new SessionClock(session, timeZone);
  const { columns, headers, rows, headerLine, problems, refusal } = readKnownColumns(file, COLUMNS);
  if (refusal !== null) return { periods: [], problems: [{ line: headerLine, message: refusal }] };
  if (!["period", "start", "end"].every((column) => columns.has(column))) {
    const message = `${PERIODS_NEED} ${headersText(headers)}`;
    // errors in other rows are not useful if the table is not a list of periods
    const nearly = problems.filter(({ line }) => line === headerLine);
    return { periods: [], problems: [{ line: headerLine, message }, ...nearly] };
  }
  const tooMany = maxRows === undefined ? undefined : rows[maxRows];
  if (tooMany !== undefined) {
    const message = `The periods have ${rows.length} rows. A session has at most ${maxRows}. Remove some rows.`;
    return { periods: [], problems: [{ line: tooMany.line, message }] };
  }
  const names = new Map(players.map((name) => [nameKey(name), name]));
  const similarTo = sameButMarks(names.values());
  const periods = new Map<string, SessionPeriod>();
  for (const row of rows) {
    const problem = (message: string) => problems.push({ line: row.line, message });
    const name = row.cell("period");
    if (name === "") {
      problem("The row has no period. Give a name such as 1st half, or remove the row.");
      continue;
    }
    if (RESERVED_NAMES.includes(nameKey(name))) {
      problem(`A period cannot be named "${name}": that name means the whole session. Give it another name.`);
      continue;
    }
    const interval = intervalOf(row, clock, problem);
    if (interval === undefined) continue;
    const period = periods.get(nameKey(name)) ?? { name, all: null, own: new Map(), line: row.line };
    if (periods.size === MOST_PERIODS && !periods.has(nameKey(name))) {
      problem(`"${name}" exceeds the limit of ${MOST_PERIODS} periods per session. Remove some periods.`);
      return { periods: [], problems };
    }
    periods.set(nameKey(name), period);
    addRow(period, row, interval, { names, similarTo }, problem);
  }
  // if the row with the times is refused, rows that only exclude players would leave a period without players
  const found = [...periods.values()].filter(
    ({ all, own }) =>
      problems.length === 0 || all !== null || [...own.values()].some((times) => times.length > 0),
  );
  return { periods: found, problems: [...problems, ...overlaps(found, names)] };
}

interface Players {
  /** Names by their keys. */
  names: ReadonlyMap<string, string>;
  similarTo: ReturnType<typeof sameButMarks>;
}

function addRow(
  period: SessionPeriod,
  row: KnownRow,
  interval: Interval | null,
  { names, similarTo }: Players,
  problem: (message: string) => void,
): void {
  const player = row.cell("player");
  if (player === "") {
    if (interval === null)
      problem(`${period.name} has no times. Give start and end, or name a player who does not take part.`);
    else if (period.all !== null)
      problem(
        `${period.name} already has times for all players in an earlier row. Give the second period another name.`,
      );
    else period.all = interval;
    return;
  }
  const key = nameKey(player);
  if (!names.has(key)) {
    problem(unknownText(player, similarTo(player)));
    return;
  }
  const known = period.own.get(key);
  const own = known ?? [];
  period.own.set(key, own);
  if (known !== undefined && (interval === null || known.length === 0)) {
    if (interval !== null || known.length > 0)
      problem(
        `One row excludes ${player} from ${period.name}, and another one has times. Remove one of them.`,
      );
    return;
  }
  if (interval === null) return;
  if (!addDisjoint(own, interval))
    problem(`Two rows for ${player} in ${period.name} overlap. Change one of them.`);
}

/** Maximum number of names in a message. */
const MOST_NAMES = 8;

function unknownText(player: string, similar: readonly string[]): string {
  if (similar.length === 0)
    return `No recording belongs to "${player}". Write the name as in the roster, or as the name of the file.`;
  const texts = similar.slice(0, MOST_NAMES).map((name) => `"${name}"`);
  const more = similar.length > MOST_NAMES ? ", or another one" : "";
  return similar.length === 1
    ? `No player has the name "${player}". If ${texts[0]} is meant, write that name.`
    : `"${player}" is not the name of one player. Write ${texts.join(" or ")}${more}.`;
}

// Returns null if the player does not take part, and undefined if the times are unreadable.
function intervalOf(
  row: KnownRow,
  clock: SessionClock,
  problem: (message: string) => void,
): Interval | null | undefined {
  const texts = [row.cell("start"), row.cell("end")];
  const player = row.cell("player");
  if (texts.every((text) => /^[-–—]?$/.test(text))) {
    if (player === "" || texts.every((text) => text !== "")) return null;
    problem(`Write - if ${player} does not take part, or remove the row.`);
    return undefined;
  }
  const [startText = "", endText = ""] = texts;
  const start = clock.start(startText);
  const endMs = start === null ? null : clock.end(endText, start.ms);
  if (start === null || endMs === null) {
    problem(
      `"${start === null ? startText : endText}" is not a time. Write 15:00, 15:00:30 or 2026-05-16 15:00.`,
    );
    return undefined;
  }
  if (start.isAmbiguous) {
    problem(
      `"${startText}" occurs on several days of these recordings. Write the date in front: ${clock.dated(start.ms, startText)}.`,
    );
    return undefined;
  }
  if (endMs <= start.ms) {
    problem(
      `${row.cell("period")} ends at ${endText}, which is not after its start at ${startText}. Change one of them.`,
    );
    return undefined;
  }
  if (endMs - start.ms > MAX_PERIOD_MS) {
    const days = Math.ceil((endMs - start.ms) / DAY_MS).toLocaleString("en");
    problem(
      `${row.cell("period")} lasts ${days} days, from ${startText} to ${endText}. A period lasts at most 7 days. Correct one of the dates.`,
    );
    return undefined;
  }
  return { startMs: start.ms, endMs };
}

/** An interval of a player in a period. */
interface Timed extends Interval {
  /** Line of the period. */
  place: number;
}

/** Reports periods that overlap. A period may be within another, such as a drill in a half; other overlaps are errors. */
function overlaps(periods: readonly SessionPeriod[], names: ReadonlyMap<string, string>): SheetProblem[] {
  const players = [...names];
  /** For each pair of overlapping periods, the index of the first affected player in `players`. */
  const found = new Map<number, number>();
  const add = (one: Timed, other: Timed, player: number) => {
    if (player < 0 || contains(one, other) || contains(other, one)) return;
    const pair = Math.max(one.place, other.place) * periods.length + Math.min(one.place, other.place);
    found.set(pair, Math.min(player, found.get(pair) ?? player));
  };
  const ofAll = periods.flatMap(({ all }, place) => (all === null ? [] : [{ ...all, place }]));
  const hasOwn = (key: string, { place }: Timed) => periods[place]?.own.has(key) === true;
  // done once for all players without individual times, because there may be hundreds of players and periods
  for (const [one, other] of meetings(ofAll, [])) {
    if (found.size === MOST_OVERLAPS) break;
    add(
      one,
      other,
      players.findIndex(([key]) => !hasOwn(key, one) && !hasOwn(key, other)),
    );
  }
  for (const [player, [key]] of players.entries()) {
    const own = periods.flatMap((period, place) =>
      (period.own.get(key) ?? []).map((interval) => ({ ...interval, place })),
    );
    if (own.length === 0) continue;
    const others = ofAll.filter((one) => !hasOwn(key, one));
    for (const [one, other] of meetings(own, others)) {
      if (found.size === MOST_OVERLAPS) break;
      add(one, other, player);
    }
  }
  return [...found]
    .map(([pair, player]) => {
      const [earlier, later] = [periods[pair % periods.length], periods[Math.floor(pair / periods.length)]];
      const message = `"${later?.name}" overlaps "${earlier?.name}" (line ${earlier?.line}) for ${players[player]?.[1]}. Change one of them.`;
      return { line: later?.line ?? 0, message };
    })
    .sort((a, b) => a.line - b.line);
}

/** Yields pairs of intervals that overlap: two of `some`, or one of `some` and one of `others`. */
function* meetings(some: readonly Timed[], others: readonly Timed[]): Generator<[Timed, Timed]> {
  let [openSome, openOthers]: [Timed[], Timed[]] = [[], []];
  const isOfSome = new Set(some);
  for (const next of [...some, ...others].sort((a, b) => a.startMs - b.startMs)) {
    const isOpen = ({ endMs }: Timed) => endMs > next.startMs;
    openSome = openSome.filter(isOpen);
    for (const one of openSome) yield [one, next];
    if (!isOfSome.has(next)) {
      openOthers.push(next);
      continue;
    }
    openOthers = openOthers.filter(isOpen);
    for (const one of openOthers) yield [one, next];
    openSome.push(next);
  }
}

function contains(outer: Interval, inner: Interval): boolean {
  return outer.startMs <= inner.startMs && inner.endMs <= outer.endMs;
}
