import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { metricParameters, type ParameterOverrides, type PresetName } from "../../metrics/index.js";
import { count } from "../../pictures/figure-text.js";
import {
  findSessions,
  highSpeedThresholds,
  type PeriodsContext,
  readPeriods,
  readRoster,
  type SessionPeriod,
  type SheetProblem,
  SQUAD_COLUMNS,
  type SquadColumn,
  type SquadRecording,
  type SquadRow,
  sessionInterval,
  sortRows,
  squadMembers,
  squadRows,
} from "../../squad/index.js";
import { byPosition } from "../../squad-report/positions.js";
import { fileColumns, squadCsv, squadJsonLines } from "../../squad-report/squad-csv.js";
import type { SquadSheet } from "../../squad-report/squad-workbook.js";
import type { HrSource } from "../../types.js";
import type { SpeedZones } from "../arguments/speed-zones.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, type Input, nameOf } from "../batch/inputs.js";
import {
  isStandardOutput,
  refuseAsOutput,
  refuseOnTerminal,
  streamOf,
  writeOutput,
} from "../batch/output.js";
import { ExitStatus, isDamaged, statusOf } from "../terminal/exit-status.js";
import { instantFormat, offsetIn } from "../terminal/time-text.js";
import { UsageError } from "../terminal/usage-error.js";
import { type ReadSamples, readSamples, selectionOf } from "./read-samples.js";
import { notices } from "./report-text.js";
import { tellAbsent, tellOtherSport, tellSuggestions } from "./squad-notices.js";
import { DEFAULT_COLUMNS, squadText } from "./squad-text.js";
import { squadWorkbook } from "./squad-xlsx.js";

export const SQUAD_FORMATS = ["text", "csv", "jsonl", "xlsx", "html"] as const;
export type SquadFormat = (typeof SQUAD_FORMATS)[number];

export interface SquadFlags {
  roster?: string;
  periods?: string;
  tz?: string;
  sport?: PresetName;
  zones?: SpeedZones;
  highSpeed?: number;
  sprint?: number;
  sort?: string;
  columns?: string[];
  by?: "position";
  format?: SquadFormat;
  decimal?: string;
  output?: string;
  force?: boolean;
  hr?: HrSource;
}

/** A recording in memory, and the input that it came from. */
interface ReadRecording extends SquadRecording {
  input: Input;
  startMs: number;
  endMs: number;
  place: { latitude: number; longitude: number } | null;
}

/** `asi squad`: a table of all players of a session, for each period. */
export async function squad(args: string[], flags: SquadFlags, context: Context): Promise<ExitStatus> {
  const { columns, sort, isAscending } = columnsOf(flags);
  const format = formatOf(flags);
  const params = parametersOf(flags);
  const inputs = findInputs(args);
  if (flags.output !== undefined) refuseAsOutput(flags.output, inputs);
  const rosterPath = flags.roster ?? besideRecordings(args, "roster.csv");
  const periodsPath = flags.periods ?? besideRecordings(args, "periods.csv");
  const roster = rosterPath === null ? null : readSheetFile(rosterPath, readRoster, context);
  if (roster?.problems.length) return ExitStatus.failed;
  const { recordings, status } = await readAll(inputs, flags, context);
  if (recordings.length === 0) return status === ExitStatus.done ? ExitStatus.failed : status;
  const sessions = findSessions(recordings);
  if (sessions.length > 1 && periodsPath !== null && flags.periods !== undefined) {
    throw new UsageError(
      `The recordings are of ${sessions.length} sessions, and periods belong to one. Name the recordings of one session, or leave --periods out.`,
    );
  }
  if (sessions.length > 1 && format === "html") {
    throw new UsageError(
      `The recordings are of ${sessions.length} sessions, and a report is of one. Name the recordings of one session.`,
    );
  }
  const instantText = instantFormat(flags.tz);
  const parts: string[] = [];
  const sheets: SquadSheet[] = [];
  for (const [index, session] of sessions.entries()) {
    const members = squadMembers(session, roster?.roster ?? null);
    tellAbsent(roster?.roster ?? null, members, context);
    const interval = sessionInterval(session);
    const found =
      periodsPath === null || sessions.length > 1
        ? null
        : periodsIn(
            periodsPath,
            { session: interval, timeZone: flags.tz, players: members.map(({ name }) => name) },
            context,
          );
    if (found?.problems.length) return ExitStatus.failed;
    const periods = found?.periods ?? [];
    const rows = squadRows(members, periods, { preset: flags.sport, params });
    tellOtherSport(rows, context);
    const heading = `Session ${instantText(interval.startMs)} to ${instantText(interval.endMs - 1)}, ${count(members.length, "player")}`;
    if (format === "html") {
      const { squadReport } = await import("../../squad-report/squad-report.js");
      const offsetMs = offsetIn(flags.tz, interval.startMs);
      const clock = (ms: number) => instantText(ms).slice(11, 16);
      parts.push(
        squadReport({
          title: titleOf(args),
          subtitle: `${instantText(interval.startMs).slice(0, 10)}, ${clock(interval.startMs)} to ${clock(interval.endMs)} (${flags.tz ?? "UTC"}), ${count(members.length, "player")}`,
          rows: [
            ...sortRows(
              rows.filter(({ period }) => period === null),
              sort,
              isAscending,
            ),
            ...rows.filter(({ period }) => period !== null),
          ],
          periods,
          offsetMs,
        }),
      );
    } else if (format === "text") {
      if (index > 0) parts.push("");
      parts.push(...textOf(heading, rows, periods, columns, { sort, isAscending, by: flags.by ?? null }));
      if (periodsPath === null) tellSuggestions(members, flags.tz, context);
    } else {
      const files = fileColumns(instantText(interval.startMs), instantText);
      if (format === "xlsx") {
        const prefix = sessions.length === 1 ? "" : `${index + 1} `;
        for (const period of [null, ...periods.map(({ name }) => name)]) {
          const own = sortRows(
            rows.filter((row) => row.period === period),
            sort,
            isAscending,
          );
          sheets.push({ name: `${prefix}${period ?? "Session"}`, columns: files, rows: own });
        }
        continue;
      }
      const isComma = flags.decimal === ",";
      const layout = { delimiter: isComma ? ";" : ",", decimalMark: isComma ? "," : "." };
      parts.push(format === "csv" ? squadCsv(files, rows, layout, index === 0) : squadJsonLines(files, rows));
    }
  }
  const text = parts.join(format === "text" ? "\n" : "");
  await write(format === "xlsx" ? await squadWorkbook(sheets) : text, flags, context);
  return status;
}

function columnsOf({ columns = [], sort = "distance_m" }: SquadFlags): {
  columns: readonly SquadColumn[];
  sort: SquadColumn;
  isAscending: boolean;
} {
  const isAscending = sort.startsWith("+");
  return {
    columns: columns.length === 0 ? DEFAULT_COLUMNS : columns.map(columnNamed),
    sort: columnNamed(sort.replace(/^[+-]/, "")),
    isAscending,
  };
}

/** A column by its key, or by the key without its unit: `distance` is `distance_m`. */
function columnNamed(name: string): SquadColumn {
  const column =
    SQUAD_COLUMNS.find(({ key }) => key === name) ??
    SQUAD_COLUMNS.find(({ key }) => key.startsWith(`${name}_`));
  if (column !== undefined) return column;
  const names = SQUAD_COLUMNS.map(({ key }) => key).join(", ");
  throw new UsageError(`There is no column ${name}. The columns are ${names}.`);
}

function formatOf({ format, output, decimal }: SquadFlags): SquadFormat {
  const byName =
    output === undefined || isStandardOutput(output)
      ? null
      : /\.(csv|jsonl|txt|xlsx|html)$/i.exec(output)?.[1]?.toLowerCase();
  if (byName === undefined)
    throw new UsageError(`Name the output .csv, .jsonl, .xlsx, .html or .txt; ${output} says no format.`);
  const ofName = byName === null ? undefined : byName === "txt" ? "text" : (byName as SquadFormat);
  if (format !== undefined && ofName !== undefined && format !== ofName) {
    throw new UsageError(`${output} has the extension of another format than --format ${format}.`);
  }
  const chosen = format ?? ofName ?? "text";
  if (chosen === "xlsx") refuseOnTerminal(output ?? "-", chosen, false);
  if (decimal !== undefined && chosen !== "csv") throw new UsageError("--decimal applies only to CSV.");
  return chosen;
}

function parametersOf({ sport, zones, highSpeed, sprint }: SquadFlags): ParameterOverrides {
  const params: ParameterOverrides = {
    ...(zones !== undefined && { speed_ranges: zones.limits }),
    ...(highSpeed !== undefined && { hid_thresholds: highSpeedThresholds(highSpeed) }),
    ...(sprint !== undefined && { sprint_threshold: sprint }),
  };
  // refuses wrong parameters before a file is read
  metricParameters(sport ?? "soccer", params);
  return params;
}

/** The name of the folder, if one is named. */
function titleOf(args: readonly string[]): string {
  const [first = ""] = args;
  return args.length === 1 && first !== "-" ? basename(resolve(first)) : "Session";
}

/** The file beside the recordings, if the arguments name one folder that has it. */
function besideRecordings(args: readonly string[], name: string): string | null {
  const [folder] = args;
  if (folder === undefined || args.length > 1 || folder === "-") return null;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  const path = join(folder, name);
  return existsSync(path) ? path : null;
}

function readSheetFile<T extends { problems: SheetProblem[] }>(
  path: string,
  read: (bytes: Uint8Array) => T,
  { console }: Context,
): T {
  const result = read(readFileSync(path));
  for (const { line, message } of result.problems) {
    console.failure(console.paint("red", "asi:"), ` ${path}, line ${line}: ${message}`);
  }
  return result;
}

function periodsIn(path: string, where: PeriodsContext, context: Context) {
  return readSheetFile(path, (bytes) => readPeriods(bytes, where), context);
}

/** Reads all inputs. Those that cannot be read are told, and the others go on. */
async function readAll(
  inputs: readonly Input[],
  flags: SquadFlags,
  context: Context,
): Promise<{ recordings: ReadRecording[]; status: ExitStatus }> {
  const { console, signal } = context;
  const selection = selectionOf(flags.hr === undefined ? {} : { hr: flags.hr });
  const recordings: ReadRecording[] = [];
  const status = await runBatch<ReadSamples>(context, {
    inputs,
    json: false,
    work: (input, _, onProgress) => readSamples(input, selection, signal, onProgress),
    async show({ samples, inspection: { info, report } }, input) {
      recordings.push({
        input,
        fileName: basename(input.name),
        serial: info.serial,
        samples,
        isDamaged: isDamaged(report),
        isTruncated: report.damage.overruns > 0,
        startMs: report.start ?? 0,
        endMs: report.end ?? 0,
        place: {
          latitude: (samples.latitudeE7[0] ?? 0) / 1e7,
          longitude: (samples.longitudeE7[0] ?? 0) / 1e7,
        },
      });
      for (const line of notices(console, nameOf(input), report)) console.message(...line);
    },
    toJson: () => ({}),
    statusOf: ({ inspection }) => statusOf(inspection.report),
  });
  return { recordings, status };
}

function textOf(
  heading: string,
  rows: readonly SquadRow[],
  periods: readonly SessionPeriod[],
  columns: readonly SquadColumn[],
  { sort, isAscending, by }: { sort: SquadColumn; isAscending: boolean; by: "position" | null },
): string[] {
  return [null, ...periods.map(({ name }) => name)].map((period) => {
    const own = sortRows(
      rows.filter((row) => row.period === period),
      sort,
      isAscending,
    );
    const groups = by === null ? null : byPosition(own);
    return squadText(period === null ? heading : period, own, columns, groups);
  });
}

async function write(
  content: string | Uint8Array,
  { output, force }: SquadFlags,
  { console, signal }: Context,
): Promise<void> {
  if (typeof content === "string" && (output === undefined || isStandardOutput(output))) {
    return console.data(content);
  }
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const file = await writeOutput(streamOf(bytes), output ?? "-", { force, signal });
  if (file !== null) console.message(`${file.bytes} bytes -> ${file.path}`);
}
