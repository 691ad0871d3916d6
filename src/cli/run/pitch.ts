import { statSync } from "node:fs";
import {
  type PitchFrame,
  type PitchSize,
  pitchFrame,
  type TeamShape,
  teamShape,
} from "../../metrics/index.js";
import { FEWEST_PLAYERS } from "../../metrics/pitch/team-shape.js";
import {
  findSessions,
  type Interval,
  intervalsFor,
  mainInterval,
  namesIn,
  type Roster,
  type SessionPeriod,
  type SquadMember,
  squadMembers,
  suggestSubstitutions,
  type TeamFrame,
  teamFrames,
  teamShapeMeans,
} from "../../squad/index.js";
import { MAX_SHEET_BYTES } from "../../squad/known-columns.js";
import { readPeriods, readPitchCorners, readRoster } from "../../squad/sheets.js";
import {
  type FileColumn,
  instantColumn,
  numberColumn,
  tableCsv,
  tableJsonLines,
  textColumn,
  textLayout,
} from "../../squad-report/cell-files.js";
import type { Context } from "../batch/batch.js";
import { findInputs } from "../batch/inputs.js";
import { isStandardOutput, refuseAsOutput, writeOutput } from "../batch/output.js";
import { ExitStatus } from "../terminal/exit-status.js";
import { instantFormat } from "../terminal/time-text.js";
import { UsageError } from "../terminal/usage-error.js";
import type { FieldPlayer, PlayedPeriod, ShapeRow } from "./pitch-rows.js";
import { pitchText } from "./pitch-text.js";
import {
  leftOutTexts,
  outsideText,
  presentOf,
  rosterFiles,
  tellAbsent,
  tellSuggestions,
} from "./squad-notices.js";
import { titleOf, writeContent } from "./squad-output.js";
import { readRecordings } from "./squad-recordings.js";
import { besideRecordings, readSheetFile, sheetBytes, tellProblems } from "./squad-sheets.js";
import { trackingFile } from "./tracking.js";

export interface PitchFlags {
  corners?: string;
  size?: PitchSize;
  roster?: string;
  periods?: string;
  every?: number;
  each?: boolean;
  format?: PitchFormat;
  output?: string;
  force?: boolean;
  tz?: string;
}

export type PitchFormat = "text" | "csv" | "jsonl" | "cdf";

const SECOND_MS = 1000;
const POSITIONS_OF_RECORDING = 1000;
const SHORTEST_STEP_MS = 40;

/** Runs `asi pitch`, which prints the position and shape of a team on the pitch. */
export async function pitch(args: string[], flags: PitchFlags, context: Context): Promise<ExitStatus> {
  const { console } = context;
  const format = formatOf(flags);
  const everyMs = flags.every ?? SECOND_MS;
  if (everyMs < SHORTEST_STEP_MS)
    throw new UsageError(
      `--every must be at least ${SHORTEST_STEP_MS}ms, because trackers record at most 25 positions a second.`,
    );
  const inputs = findInputs(args);
  if (flags.output !== undefined) refuseAsOutput(flags.output, inputs);
  const frame = frameOf(args, flags);
  const roster = flags.roster ?? besideRecordings(args, "roster.csv");
  const sheet = roster === null ? null : readSheetFile(roster, readRoster);
  if (sheet !== null && tellProblems(sheet.lines, context)) return ExitStatus.failed;
  const { recordings, status } = await readRecordings(inputs, {}, context);
  if (recordings.length === 0) return status === ExitStatus.done ? ExitStatus.failed : status;
  if (findSessions(recordings).length > 1)
    throw new UsageError("The recordings are from several sessions. Name the recordings of one session.");
  const members = squadMembers(recordings, sheet?.roster ?? null);
  tellAbsent(rosterFiles(roster, sheet?.roster ?? null), members.map(presentOf), context);
  for (const text of leftOutTexts(members)) console.message(text);
  if (!members.some(isGoalkeeper))
    console.message(
      "No player has the position GK in a roster, so goalkeepers are treated as field players.",
    );
  const periods = periodsOf(args, members, sheet?.roster ?? null, mainInterval(recordings), flags, context);
  if (periods === null) return ExitStatus.failed;
  const beside = besideText(members, frame);
  if (beside !== null) console.message(beside);
  if (format === "cdf") {
    const match = { name: titleOf(args, "match"), frame, everyMs };
    const { force } = flags;
    const stream = trackingFile(periods, match, console);
    const file = await writeOutput(stream, flags.output ?? "-", { force, signal: context.signal });
    if (file !== null) console.message(`${file.bytes} bytes -> ${file.path}`);
    return status;
  }
  const rows = periods.flatMap((period) => rowsOf(period, frame, everyMs, flags.each === true));
  await writeContent(contentOf(rows, frame, format, flags), flags, context);
  if (rows.every(({ shape }) => shape === null))
    console.message(
      `There are no figures, because they require ${FEWEST_PLAYERS} field players at the same time`,
    );
  return status;
}

const isGoalkeeper = ({ player }: SquadMember): boolean => player?.position?.trim().toUpperCase() === "GK";

/** Players up to this distance from the pitch may be warming up, or their positions may be inaccurate *(choice)*. */
const BESIDE_M = 30;

/** Warns that the corners are probably wrong, because hardly any players are on the pitch. Returns null if enough are. */
function besideText(members: readonly SquadMember[], { length, width, toPitch }: PitchFrame): string | null {
  let positions = 0;
  let beside = 0;
  for (const { samples } of members.flatMap(({ recordings }) => recordings)) {
    const step = Math.max(1, Math.floor(samples.length / POSITIONS_OF_RECORDING));
    for (let i = 0; i < samples.length; i += step) {
      const { x, y } = toPitch({
        latitude: (samples.latitudeE7[i] ?? 0) / 1e7,
        longitude: (samples.longitudeE7[i] ?? 0) / 1e7,
      });
      const isNear = x > -BESIDE_M && x < length + BESIDE_M && y > -BESIDE_M && y < width + BESIDE_M;
      positions += 1;
      beside += Number(!isNear);
    }
  }
  if (2 * beside <= positions) return null;
  return `${Math.floor((100 * beside) / positions)} % of the positions are more than ${BESIDE_M} m from this pitch. Check its corners`;
}

function frameOf(args: readonly string[], { corners, size }: PitchFlags): PitchFrame {
  const given = corners ?? besideRecordings(args, "pitch.csv");
  if (given === null)
    throw new UsageError(
      'Give the corners of the pitch: --corners "46.96,7.46 46.96,7.47 46.97,7.47 46.97,7.46", or a file pitch.csv in the folder.',
    );
  const found = statSync(given, { throwIfNoEntry: false });
  if (found === undefined && !/[a-z]/i.test(given)) return pitchFrame(readPitchCorners(given), size);
  if (found?.isFile() !== true)
    throw new UsageError(
      `${given} ${found === undefined ? "does not exist" : "is not a file"}. Name a file with the four corners, or give the corners.`,
    );
  const bytes = sheetBytes(given);
  if (bytes.length > MAX_SHEET_BYTES)
    throw new UsageError(`${given} is larger than 4 MiB. Is it the file with the four corners?`);
  return pitchFrame(readPitchCorners(bytes), size);
}

function formatOf({ format, output, each }: PitchFlags): PitchFormat {
  const byName =
    output === undefined || isStandardOutput(output) ? undefined : /\.(csv|jsonl|txt)$/i.exec(output)?.[1];
  if (output !== undefined && !isStandardOutput(output) && byName === undefined)
    throw new UsageError(
      `Name the output .csv, .jsonl or .txt; the extension of ${output} is not that of a known format.`,
    );
  const chosen = format ?? (byName === "txt" ? "text" : (byName?.toLowerCase() as PitchFormat | undefined));
  if (each === true && (chosen === undefined || chosen === "text" || chosen === "cdf"))
    throw new UsageError("--each applies to csv and jsonl; add --format csv.");
  return chosen ?? "text";
}

// Returns null if the periods cannot be read; the reason has then been printed.
function periodsOf(
  args: readonly string[],
  members: readonly SquadMember[],
  roster: Roster | null,
  session: Interval,
  flags: PitchFlags,
  context: Context,
): PlayedPeriod[] | null {
  const path = flags.periods ?? besideRecordings(args, "periods.csv");
  const where = { session, timeZone: flags.tz, players: namesIn(members, roster) };
  const sheet = path === null ? null : readSheetFile(path, (bytes) => readPeriods(bytes, where));
  if (sheet !== null && tellProblems(sheet.lines, context)) return null;
  const outside = outsideText(sheet?.periods ?? [], session, flags.tz);
  if (outside !== null) context.console.message(outside);
  const whole = members.map((member) => ({
    ...member,
    intervals: [session],
    isGoalkeeper: isGoalkeeper(member),
  }));
  const played = suggestSubstitutions(sheet?.periods ?? [], members);
  tellSuggestions(sheet?.periods ?? [], played, members, flags.tz, context, true);
  return [
    { name: null, ...session, players: whole },
    ...played.periods.map((period) => playedPeriod(period, whole)),
  ];
}

function playedPeriod(period: SessionPeriod, whole: readonly FieldPlayer[]): PlayedPeriod {
  const players = whole.map((player) => ({ ...player, intervals: intervalsFor(period, player.name) }));
  const all = players.flatMap(({ intervals }) => intervals);
  const startMs = Math.min(...all.map((one) => one.startMs));
  const endMs = Math.max(startMs, ...all.map((one) => one.endMs));
  return { name: period.name, startMs, endMs: Number.isFinite(startMs) ? endMs : startMs, players };
}

function rowsOf(period: PlayedPeriod, frame: PitchFrame, everyMs: number, isEach: boolean): ShapeRow[] {
  const field = period.players.filter((player) => !player.isGoalkeeper);
  const frames = teamFrames(field, period, frame, everyMs);
  return isEach
    ? [...frames].map((one) => rowOfFrame(period.name, one))
    : [{ period: period.name, timeMs: null, ...teamShapeMeans(frames) }];
}

const rowOfFrame = (period: string | null, { timeMs, players }: TeamFrame<FieldPlayer>): ShapeRow => ({
  period,
  timeMs,
  frames: 1,
  players: players.length,
  shape: teamShape(players),
});

const shapeColumn = (key: string, title: string, of: (shape: TeamShape) => number): FileColumn<ShapeRow> =>
  numberColumn(key, title, 2, ({ shape }) => (shape === null ? null : of(shape)));

const SHAPE_COLUMNS: readonly FileColumn<ShapeRow>[] = [
  numberColumn("players", "Players", 2, ({ players }) => players),
  shapeColumn("centroid_x_m", "Centroid along, m", ({ centroid }) => centroid.x),
  shapeColumn("centroid_y_m", "Centroid across, m", ({ centroid }) => centroid.y),
  shapeColumn("stretch_index_m", "Stretch index, m", (shape) => shape.stretch_index),
  shapeColumn("surface_area_m2", "Surface area, m2", (shape) => shape.surface_area),
  shapeColumn("length_m", "Length, m", ({ length }) => length),
  shapeColumn("width_m", "Width, m", ({ width }) => width),
];

function contentOf(
  rows: readonly ShapeRow[],
  frame: PitchFrame,
  format: "text" | "csv" | "jsonl",
  { tz, each }: PitchFlags,
): string {
  if (format === "text") return pitchText(frame, rows);
  const layout = textLayout(undefined, instantFormat(tz));
  const columns = [
    textColumn<ShapeRow>("period", "Period", ({ period }) => period),
    each === true
      ? instantColumn<ShapeRow>("timestamp", "Time", ({ timeMs }) => timeMs)
      : numberColumn<ShapeRow>("frames", "Frames", 0, ({ frames }) => frames),
    ...SHAPE_COLUMNS,
  ];
  return format === "csv" ? tableCsv(columns, rows, layout) : tableJsonLines(columns, rows, layout);
}
