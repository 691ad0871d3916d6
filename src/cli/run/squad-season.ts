import { statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { namesText } from "../../pictures/figure-text.js";
import {
  type PlayedSession,
  type Roster,
  type Season,
  type SeasonPlayer,
  seasonOf,
} from "../../squad/index.js";
import { readRoster } from "../../squad/sheets.js";
import { tableCsv, tableJsonLines, tableParquet, textLayout } from "../../squad-report/cell-files.js";
import { seasonNotes } from "../../squad-report/season-notes.js";
import { type Context, runBatch } from "../batch/batch.js";
import { nameMatcher } from "../batch/glob.js";
import { findInputs, type Input } from "../batch/inputs.js";
import { refuseAsOutput } from "../batch/output.js";
import { ExitStatus } from "../terminal/exit-status.js";
import { instantFormat, offsetIn } from "../terminal/time-text.js";
import { UsageError } from "../terminal/usage-error.js";
import type { CountedRecording } from "./counted-once.js";
import { jobsFor } from "./jobs.js";
import { playerColumns, seasonColumns, seasonFileRows } from "./season-columns.js";
import { loadColumns, loadsOf } from "./season-load.js";
import { speedColumns, speedsIn } from "./season-speeds.js";
import { seasonText } from "./season-text.js";
import { cachedWork } from "./session-cache.js";
import { withoutCopies } from "./session-copies.js";
import { type SessionTask, type SessionWork, workOnSession } from "./session-work.js";
import { type Present, rosterFiles, tellAbsent, tellWithoutMaxHr } from "./squad-notices.js";
import {
  columnNamed,
  type SquadFlags,
  type SquadFormat,
  type SquadOrder,
  thresholdsOf,
} from "./squad-options.js";
import { titleOf, writeContent } from "./squad-output.js";
import { besideRecordings, inFolder, readSheetFile, tellProblems } from "./squad-sheets.js";

/** Format and order of the output. */
export interface SeasonOutput {
  order: SquadOrder;
  format: SquadFormat;
}

/** Runs `asi squad --by player`, which shows all sessions of each player, from a folder for each session. */
export async function squadSeason(
  args: readonly string[],
  flags: SquadFlags,
  output: SeasonOutput,
  context: Context,
): Promise<ExitStatus> {
  if (flags.periods !== undefined) {
    throw new UsageError("Periods belong to one session: place a periods.csv in the folder of each session.");
  }
  const inputs = findInputs(args);
  if (flags.output !== undefined) refuseAsOutput(flags.output, inputs);
  const path = flags.roster ?? besideRecordings(args, "roster.csv");
  const roster = path === null ? null : rosterIn(path, context);
  if (roster === undefined) return ExitStatus.failed;
  const rosters = rosterFiles(path, roster);
  const tasks: SessionTask[] = [];
  for (const [folder, own] of byFolder(args, inputs)) {
    // uses the roster that the command line names, otherwise that of the session, otherwise that of the season
    const ownPath = flags.roster === undefined ? inFolder(folder, "roster.csv") : null;
    const ownRoster = ownPath === null ? roster : rosterIn(ownPath, context);
    if (ownRoster === undefined) return ExitStatus.failed;
    rosters.push(...rosterFiles(ownPath, ownRoster));
    tasks.push(taskOf(folder, own, ownRoster, { flags, order: output.order }));
  }
  const { played, takenForMatches, present, status } = await playedIn(tasks, flags, context);
  if (played.length === 0) return status === ExitStatus.done ? ExitStatus.failed : status;
  const used = rosters.filter((one) => tasks.some(({ roster: ofTask }) => ofTask === one.roster));
  tellAbsent(used, present, context);
  if (flags.load === "trimp" || output.order.columns.some(({ key }) => key === "trimp"))
    tellWithoutMaxHr(used, present, context);
  if (takenForMatches.length > 0)
    context.console.message(
      `${namesText(takenForMatches)}: taken for matches, because two suggested periods last from 30 to 70 minutes. To choose the folders of matches, add --matches, such as --matches "match*"`,
    );
  const season = seasonOf(played);
  // the others contain the notes
  if (output.format !== "text" && output.format !== "html")
    for (const note of seasonNotes(season, output.order.fileColumns)) context.console.message(note);
  await writeContent(await contentOf(season, args, flags, output), flags, context);
  return status;
}

// Returns undefined if the roster cannot be read; the reason has then been printed.
function rosterIn(path: string, context: Context): Roster | undefined {
  const { roster, lines } = readSheetFile(path, readRoster);
  return tellProblems(lines, context) ? undefined : roster;
}

/**
 * Groups recordings by session. A subfolder of a named folder is one session, including its own subfolders. The recordings directly in the
 * named folder are a separate session.
 */
function byFolder(args: readonly string[], inputs: readonly Input[]): Map<string, Input[]> {
  const named = args.filter((arg) => statSync(arg, { throwIfNoEntry: false })?.isDirectory() === true);
  const folders = new Map<string, Input[]>();
  for (const input of inputs) {
    if (input.kind === "standardInput")
      throw new UsageError("A season is read from folders, not from standard input.");
    const folder = folderOf(input.name, named);
    folders.set(folder, [...(folders.get(folder) ?? []), input]);
  }
  return folders;
}

function folderOf(path: string, named: readonly string[]): string {
  for (const folder of named) {
    const inside = relative(folder, path);
    const [first = ""] = inside.split(sep);
    if (first === ".." || isAbsolute(inside)) continue;
    return inside.includes(sep) ? join(folder, first) : folder;
  }
  return dirname(path);
}

function taskOf(
  folder: string,
  inputs: readonly Input[],
  roster: Roster | null,
  { flags, order: { recipes, optionalFigures } }: { flags: SquadFlags; order: SquadOrder },
): SessionTask {
  return {
    folder,
    inputs,
    roster,
    periods: inFolder(folder, "periods.csv"),
    timeZone: flags.tz,
    preset: flags.sport,
    params: thresholdsOf(flags),
    zones: flags.individualZones,
    hr: flags.hr,
    recipes,
    optionalFigures,
    profile: flags.profile === true,
    isMatch: flags.matches === undefined ? null : nameMatcher(flags.matches)(titleOf([folder])),
  };
}

/** Processes the sessions, several of them in parallel. */
async function playedIn(
  tasks: readonly SessionTask[],
  { cache, jobs: given }: SquadFlags,
  context: Context,
): Promise<Pick<SessionWork, "played" | "takenForMatches" | "status"> & { present: Present[] }> {
  const { console, signal } = context;
  const sessions = tasks.map(({ folder, inputs }): Input => {
    const bytes = inputs.reduce((sum, input) => sum + (input.kind === "file" ? input.bytes : 0), 0);
    return { kind: "file", name: folder, path: folder, bytes };
  });
  const jobs = jobsFor(sessions, given);
  const workers = jobs > 1 ? new (await import("./workers.js")).Workers("session", signal) : null;
  const workOn = (task: SessionTask, onProgress: (bytesRead: number) => void) => {
    const compute = () =>
      workers === null ? workOnSession(task, { onProgress, signal }) : workers.run(task, onProgress);
    return cache === true ? cachedWork(task, compute) : compute();
  };
  const played: PlayedSession[] = [];
  const takenForMatches: string[] = [];
  const present: Present[] = [];
  const counted: CountedRecording[] = [];
  const working = runBatch<SessionWork>(context, {
    inputs: sessions,
    json: false,
    concurrency: jobs,
    async work(_, index, onProgress) {
      return workOn(taskAt(tasks, index), onProgress);
    },
    async show(found, input) {
      const task = taskAt(tasks, sessions.indexOf(input));
      const { work, texts } = await withoutCopies(task, found, counted, (rest) => workOn(rest, () => {}));
      // `runBatch` reads the status afterwards
      found.status = work.status;
      counted.push(...work.counted);
      played.push(...work.played);
      takenForMatches.push(...work.takenForMatches);
      present.push(...work.present);
      for (const text of texts) console.message(text);
      for (const { kind, text } of work.messages) {
        if (kind === "failure") console.failure(console.paint("red", "asi:"), ` ${text}`);
        else console.message(text);
      }
    },
    toJson: () => ({}),
    statusOf: ({ status }) => status,
  });
  try {
    return { status: await working, played, takenForMatches, present };
  } finally {
    await workers?.end();
  }
}

function taskAt(tasks: readonly SessionTask[], index: number): SessionTask {
  const task = tasks[index];
  if (task === undefined) throw new Error(`no session ${index}`);
  return task;
}

async function contentOf(
  season: Season,
  args: readonly string[],
  { decimal, tz, sort, load, profile }: SquadFlags,
  { order, format }: SeasonOutput,
): Promise<string | Uint8Array> {
  const instantText = instantFormat(tz);
  const loads = load === undefined ? null : loadsOf(season, columnNamed(load.replace("-", "_")), instantText);
  const { fileColumns: figures, recipes } = order;
  const speedsOf = profile === true ? speedsIn(instantText) : null;
  const columns = [
    ...seasonColumns(figures, recipes),
    ...(loads === null ? [] : loadColumns(loads)),
    ...(speedsOf === null ? [] : speedColumns(speedsOf)),
  ];
  switch (format) {
    case "text":
      return seasonText(season, order, instantText, { loads, speedsOf });
    case "csv":
      return tableCsv(columns, seasonFileRows(season), textLayout(decimal, instantText));
    case "jsonl":
      return tableJsonLines(columns, seasonFileRows(season), { instantText });
    case "parquet":
      return tableParquet(columns, seasonFileRows(season));
    case "xlsx": {
      const { sheetOf, workbook } = await import("./workbook.js");
      return workbook([
        sheetOf("Players", playerColumns(figures, recipes), season.players, tz),
        sheetOf("Sessions", columns, seasonFileRows(season), tz),
      ]);
    }
    case "html": {
      const { seasonReport } = await import("../../squad-report/season-report.js");
      // a rate is comparable between matches of different duration
      const figure = sort === undefined ? columnNamed("rate") : order.sort;
      const offsetAt = (ms: number) => offsetIn(tz, ms);
      const daysOf = (player: SeasonPlayer) => [...(loads?.of.get(player)?.values() ?? [])];
      return seasonReport({
        title: titleOf(args, "Season"),
        season,
        figure,
        offsetAt,
        recipes,
        further: order.reportColumns,
        loads: loads === null ? null : { column: loads.column, daysOf },
      });
    }
  }
}
