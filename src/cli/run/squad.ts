import { count } from "../../pictures/figure-text.js";
import {
  findSessions,
  MATCH,
  mainInterval,
  matchOf,
  namesIn,
  namesInSessions,
  playedPeriods,
  type SessionPeriod,
  type SquadMember,
  type SquadRow,
  type SuggestedSubstitutions,
  sortRows,
  squadMembers,
  squadRows,
} from "../../squad/index.js";
import { optionalFunctions } from "../../squad/optional-figures.js";
import { readPeriods, readRoster } from "../../squad/sheets.js";
import {
  type FileColumn,
  tableCsv,
  tableJsonLines,
  tableParquet,
  textLayout,
} from "../../squad-report/cell-files.js";
import { tableNote } from "../../squad-report/match-notes.js";
import { NOTE_COLUMN } from "../../squad-report/note-column.js";
import { byPosition } from "../../squad-report/positions.js";
import { fileColumns, type SquadFileRow } from "../../squad-report/squad-columns.js";
import { periodSheetColumns } from "../../squad-report/workbook-sheets.js";
import type { Context } from "../batch/batch.js";
import { findInputs } from "../batch/inputs.js";
import { refuseAsOutput } from "../batch/output.js";
import { ExitStatus } from "../terminal/exit-status.js";
import { instantFormat, offsetIn } from "../terminal/time-text.js";
import { UsageError } from "../terminal/usage-error.js";
import { haveGate } from "./recipe-input.js";
import { sessionOfPeriods } from "./session-periods.js";
import { severalSessionsTexts } from "./several-sessions.js";
import {
  joinedTexts,
  leftOutTexts,
  outsideText,
  presentOf,
  type RosterFile,
  rosterFiles,
  tellAbsent,
  tellOtherSport,
  tellSuggestions,
  tellWithoutMaxHr,
  unreachableTexts,
  withoutZonesTexts,
} from "./squad-notices.js";
import {
  formatOf,
  orderOf,
  refuseForFormat,
  refuseForSeveral,
  type SquadFlags,
  type SquadFormat,
  type SquadOrder,
  SUGGESTED,
  thresholdsOf,
} from "./squad-options.js";
import { titleOf, writeContent } from "./squad-output.js";
import { type ReadRecording, readRecordings } from "./squad-recordings.js";
import { besideRecordings, readSheetFile, tellProblems } from "./squad-sheets.js";
import { squadText } from "./squad-text.js";

/** A session with its rows. */
interface SquadSession {
  startMs: number;
  endMs: number;
  members: SquadMember[];
  periods: readonly SessionPeriod[];
  /** The names of the tables that follow the table of the session: the match, if there are halves, and the periods. */
  tables: readonly string[];
  /** The periods with the times of substitutes. */
  played: SuggestedSubstitutions;
  rows: SquadRow[];
  /** See `tableNote`. */
  note: string | null;
}

/** Runs `asi squad`, which prints a table of all players of a session, for each period, or with `--by player` a
 * table of a season. @param beside finds the roster and the periods that are not named */
export async function squad(
  args: string[],
  flags: SquadFlags,
  context: Context,
  beside = (name: string): string | null | undefined => besideRecordings(args, name),
): Promise<ExitStatus> {
  const order = orderOf(flags);
  const format = formatOf(flags);
  refuseForFormat(flags, format);
  thresholdsOf(flags);
  if (flags.by === "player") {
    const { squadSeason } = await import("./squad-season.js");
    return squadSeason(args, flags, { order, format }, context);
  }
  if (flags.cache === true || flags.matches !== undefined)
    throw new UsageError("--cache and --matches are for a season; add --by player.");
  const inputs = findInputs(args);
  if (flags.output !== undefined) refuseAsOutput(flags.output, inputs);
  const rosterPath = flags.roster ?? beside("roster.csv") ?? null;
  const areSuggested = flags.periods === SUGGESTED;
  const periodsPath = areSuggested ? null : (flags.periods ?? beside("periods.csv") ?? null);
  const sheet = rosterPath === null ? null : readSheetFile(rosterPath, readRoster);
  if (sheet !== null && tellProblems(sheet.lines, context)) return ExitStatus.failed;
  const roster = sheet?.roster ?? null;
  const { recordings, unread, status } = await readRecordings(
    inputs,
    { hr: flags.hr, quality: haveGate(order.recipes), findsDamage: format === "html" },
    context,
  );
  if (recordings.length === 0) return status === ExitStatus.done ? ExitStatus.failed : status;
  const found = findSessions(recordings);
  refuseForSeveral(found.length, format, flags);
  const everyone = squadMembers(recordings, roster);
  const people = { rosters: rosterFiles(rosterPath, roster), players: namesInSessions(found, roster) };
  const choice = sessionOfPeriods(periodsPath, found, people.players, flags.tz);
  if (choice !== null) context.console.message(choice.text);
  const present = everyone.map(presentOf);
  tellAbsent(people.rosters, present, context);
  // files contain all columns unless --columns is given
  if (order.columns.some(({ key }) => key === "trimp")) tellWithoutMaxHr(people.rosters, present, context);
  const sessions: SquadSession[] = [];
  for (const [index, own] of found.entries()) {
    const path = choice === null || choice.index === index ? periodsPath : null;
    const members = squadMembers(own, roster, recordings);
    const session = sessionOf(members, people, path, { flags, order }, context);
    if (session === null) return ExitStatus.failed;
    sessions.push(session);
  }
  const content = await contentOf(sessions, { args, flags, format, order, unread });
  for (const { periods, played, members } of format === "text" || areSuggested ? sessions : []) {
    if (periodsPath === null || periods.length > 0)
      tellSuggestions(areSuggested ? null : periods, played, members, flags.tz, context);
  }
  // the other formats contain the note below the table of the match
  if (format !== "text" && format !== "html")
    for (const note of new Set(sessions.map((session) => session.note)))
      if (note !== null) context.console.message(note);
  await writeContent(content, flags, context);
  return status;
}

/** The people who may have taken part in a session. */
interface People {
  /** At most one roster. */
  rosters: readonly RosterFile[];
  /** The players of all sessions, because a row of the periods can name any of them. */
  players: readonly string[];
}

// Returns null after printing the error if the periods cannot be read.
function sessionOf(
  members: SquadMember<ReadRecording>[],
  { rosters, players }: People,
  periodsPath: string | null,
  { flags, order }: { flags: SquadFlags; order: SquadOrder },
  context: Context,
): SquadSession | null {
  const notes = [
    ...leftOutTexts(members),
    ...joinedTexts(members),
    ...severalSessionsTexts(members, flags.tz),
  ];
  for (const text of notes) context.console.message(text);
  const session = mainInterval(members.flatMap(({ recordings, leftOut }) => [...recordings, ...leftOut]));
  const where = { session, timeZone: flags.tz, players };
  const sheet =
    periodsPath === null ? null : readSheetFile(periodsPath, (bytes) => readPeriods(bytes, where));
  if (sheet !== null && tellProblems(sheet.lines, context)) return null;
  const played = playedPeriods(sheet?.periods ?? [], members);
  const periods = flags.periods === SUGGESTED ? played.periods : (sheet?.periods ?? []);
  const options = {
    preset: flags.sport,
    params: thresholdsOf(flags),
    zones: flags.individualZones,
    recipes: order.recipes.map(({ recipe }) => recipe),
    ...optionalFunctions(order.optionalFigures),
  };
  const match = matchOf(periods, namesIn(members, rosters[0]?.roster ?? null));
  const tables = match === null ? periods : [match, ...periods];
  const rows = squadRows(members, tables, options, played.periods);
  for (const text of withoutZonesTexts(members, flags.individualZones)) context.console.message(text);
  tellOtherSport(rows, context);
  for (const text of unreachableTexts(rows)) context.console.message(text);
  const outside = outsideText(periods, where.session, flags.tz);
  if (outside !== null) context.console.message(outside);
  const names = tables.map(({ name }) => name);
  return { ...session, members, periods, tables: names, played, rows, note: tableNote(periods) };
}

/** Options for writing the rows. */
interface ContentOptions {
  args: readonly string[];
  flags: SquadFlags;
  format: SquadFormat;
  order: SquadOrder;
  /** Names of the files that could not be read. */
  unread: readonly string[];
}

async function contentOf(
  sessions: readonly SquadSession[],
  { args, flags, format, order, unread }: ContentOptions,
): Promise<string | Uint8Array> {
  const instantText = instantFormat(flags.tz);
  const layout = textLayout(flags.decimal, instantText);
  const fileRows = (session: SquadSession): SquadFileRow[] =>
    session.rows.map((row) => ({ ...row, session: instantText(session.startMs), note: session.note }));
  const columns = [
    ...fileColumns(order.fileColumns, order.recipes),
    ...(sessions.some(({ note }) => note !== null) ? [NOTE_COLUMN] : []),
  ];
  const all = () =>
    sessions.flatMap((session) => (flags.sort === undefined ? fileRows(session) : sortedFileRows(session)));
  // Sorts the rows like the text tables: one period after the other.
  const sortedFileRows = (session: SquadSession) =>
    [null, ...session.tables].flatMap((name) =>
      sortRows(
        fileRows(session).filter(({ period }) => period === name),
        order.sort,
        order.isAscending,
      ),
    );
  switch (format) {
    case "text":
      return [
        ...sessions.map((session) => textOf(session, instantText, flags, order)),
        ...order.cautions.map((one) => `${one}\n`),
      ].join("\n");
    case "csv":
      return tableCsv(columns, all(), layout);
    case "jsonl":
      return tableJsonLines(columns, all(), layout);
    case "parquet":
      return tableParquet(columns, all());
    case "xlsx":
      return workbookOf(sessions, columns, fileRows, order, flags.tz);
    case "html":
      return (
        await Promise.all(sessions.map((session) => reportOf(session, { args, flags, order, unread })))
      ).join("");
  }
}

async function workbookOf(
  sessions: readonly SquadSession[],
  columns: readonly FileColumn<SquadFileRow>[],
  fileRows: (session: SquadSession) => SquadFileRow[],
  { sort, isAscending }: SquadOrder,
  timeZone: string | undefined,
): Promise<Uint8Array> {
  const { sheetOf, workbook } = await import("./workbook.js");
  return workbook(
    sessions.flatMap((session, i) => {
      const rows = sortRows(fileRows(session), sort, isAscending);
      const prefix = sessions.length === 1 ? "" : `${i + 1} `;
      return [null, ...session.tables].map((period) =>
        sheetOf(
          `${prefix}${period ?? "Session"}`,
          periodSheetColumns(columns),
          rows.filter((row) => row.period === period),
          timeZone,
        ),
      );
    }),
  );
}

function textOf(
  { startMs, endMs, members, tables, rows, note }: SquadSession,
  instantText: (ms: number) => string,
  { by }: SquadFlags,
  { columns, sort, isAscending }: SquadOrder,
): string {
  const heading = `Session ${instantText(startMs)} to ${instantText(endMs - 1)}, ${count(members.length, "player")}`;
  return [null, ...tables]
    .map((period) => {
      const own = sortRows(
        rows.filter((row) => row.period === period),
        sort,
        isAscending,
      );
      const text = squadText(period ?? heading, own, columns, by === "position" ? byPosition(own) : null);
      return period === MATCH && note ? `${text}${note}\n` : text;
    })
    .join("\n");
}

async function reportOf(
  { startMs, endMs, members, periods, rows }: SquadSession,
  {
    args,
    flags,
    order: { sort, isAscending, recipes, reportColumns },
    unread,
  }: Omit<ContentOptions, "format">,
): Promise<string> {
  const { squadReport } = await import("../../squad-report/squad-report.js");
  const instantText = instantFormat(flags.tz);
  const clock = (ms: number) => instantText(ms).slice(11, 16);
  const whole = rows.filter(({ period }) => period === null);
  return squadReport({
    title: titleOf(args),
    subtitle: `${instantText(startMs).slice(0, 10)}, ${clock(startMs)} to ${clock(endMs)} (${flags.tz ?? "UTC"}), ${count(members.length, "player")}`,
    rows: [...sortRows(whole, sort, isAscending), ...rows.filter(({ period }) => period !== null)],
    periods,
    offsetMs: offsetIn(flags.tz, startMs),
    recipes,
    further: reportColumns,
    zones: flags.individualZones,
    unread,
  });
}
