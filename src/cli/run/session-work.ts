import { basename } from "node:path";
import type { NamedRecipe, ParameterOverrides, PresetName } from "../../metrics/index.js";
import {
  asSessionPeriods,
  contentKey,
  findSessions,
  halvesOf,
  joinedPeriods,
  limitsOfIntervals,
  mainInterval,
  namesIn,
  namesInSessions,
  type PlayedSession,
  type Roster,
  recordedSpans,
  type SquadMember,
  seasonRow,
  sessionSpeeds,
  sessionTime,
  squadMembers,
  squadRows,
  suggestPeriods,
  suggestSubstitutions,
  united,
  type ZoneKind,
} from "../../squad/index.js";
import { optionalColumns } from "../../squad/optional-columns.js";
import { type OptionalFigure, optionalFunctions } from "../../squad/optional-figures.js";
import { recipeColumns } from "../../squad/recipe-columns.js";
import { readPeriods } from "../../squad/sheets.js";
import { matchNote } from "../../squad-report/match-notes.js";
import type { HrSource } from "../../types.js";
import type { Input } from "../batch/inputs.js";
import { ExitStatus, statusOf, statusOfAll } from "../terminal/exit-status.js";
import { failureOf, placeOf } from "../terminal/problem.js";
import type { CountedRecording } from "./counted-once.js";
import { readSamples, selectionOf } from "./read-samples.js";
import { haveGate } from "./recipe-input.js";
import { damageText, timeTexts } from "./report-text.js";
import { sessionOfPeriods } from "./session-periods.js";
import { severalSessionsTexts } from "./several-sessions.js";
import {
  joinedTexts,
  leftOutTexts,
  outsideText,
  type Present,
  presentOf,
  uncountedText,
  unreachableTexts,
  withoutPeaksText,
  withoutRunsText,
  withoutZonesTexts,
} from "./squad-notices.js";
import { addRecording, CUT_TEXT, type ReadRecording, readRecording } from "./squad-recordings.js";
import { readSheetFile } from "./squad-sheets.js";

/** A folder with the recordings of a session, in the form of a message to a worker thread. */
export interface SessionTask {
  folder: string;
  inputs: readonly Input[];
  roster: Roster | null;
  /** Names that the periods may contain although the recordings of these players are not among the inputs. */
  otherNames?: readonly string[];
  /** Path of the file with the periods. */
  periods: string | null;
  timeZone: string | undefined;
  preset: PresetName | undefined;
  params: ParameterOverrides;
  zones: ZoneKind | undefined;
  hr: HrSource | undefined;
  /** Recipes that add figures. */
  recipes: readonly NamedRecipe[];
  /** Optional figures. */
  optionalFigures: readonly OptionalFigure[];
  /** Whether to compute the speeds of each player that the season's speeds require. */
  profile: boolean;
  /** Whether the session is a match; null if its halves decide. */
  isMatch: boolean | null;
}

/** The result for a session. It can be stored as JSON. */
export interface SessionWork {
  /** One session, or several if the recordings are from different times or places. */
  played: PlayedSession[];
  /** Names of the sessions that count as matches only because of the lengths of two suggested periods. */
  takenForMatches: string[];
  /** Messages about damaged or missing recordings, and unreadable periods. */
  messages: { kind: "note" | "failure"; text: string }[];
  /** Players who have recordings. */
  present: readonly Present[];
  /** The recordings that the figures include. */
  counted: readonly CountedRecording[];
  /** The content of each input that could be read, from `contentKey`, by the name of the input. */
  contents: readonly (readonly [name: string, content: string])[];
  status: ExitStatus;
}

/** Reads each recording of a folder once and computes the rows of its sessions. */
export async function workOnSession(
  task: SessionTask,
  { onProgress, signal }: { onProgress(bytesRead: number): void; signal: AbortSignal },
): Promise<SessionWork> {
  const messages: SessionWork["messages"] = [];
  const statuses: ExitStatus[] = [];
  const recordings: ReadRecording[] = [];
  const sources = new Map<ReadRecording, { name: string; content: string }>();
  const selection = {
    ...selectionOf(task.hr === undefined ? {} : { hr: task.hr }),
    quality: haveGate(task.recipes),
    mayBeCut: true,
  };
  let bytesBefore = 0;
  for (const input of task.inputs) {
    try {
      const read = await readSamples(input, selection, signal, (bytes) => onProgress(bytesBefore + bytes));
      const recording = readRecording(input, read);
      sources.set(recording, { name: input.name, content: contentKey(recording) });
      const copy = addRecording(recordings, recording);
      if (copy !== null) messages.push({ kind: "note", text: `${basename(task.folder)}: ${copy}` });
      const { report } = read.inspection;
      statuses.push(read.isCut ? ExitStatus.doneWithDamage : statusOf(report));
      const damage = damageText(report);
      for (const text of [
        ...(read.isCut ? [CUT_TEXT] : []),
        ...(damage === "" ? [] : [`damaged: ${damage}`]),
        ...timeTexts(report, read.repeated),
      ])
        messages.push({ kind: "note", text: `${input.name}: ${text}` });
    } catch (error) {
      if (signal.aborted) throw error;
      const { error: problem } = failureOf(error);
      messages.push({ kind: "failure", text: `${input.name}: ${problem.message} ${placeOf(problem)}` });
      statuses.push(ExitStatus.failed);
    }
    bytesBefore += input.kind === "file" ? input.bytes : 0;
  }
  const found = findSessions(recordings);
  const everyone = squadMembers(recordings, task.roster);
  const players = [...new Set([...namesInSessions(found, task.roster), ...(task.otherNames ?? [])])];
  const choice = sessionOfPeriods(task.periods, found, players, task.timeZone);
  if (choice !== null) messages.push({ kind: "note", text: choice.text });
  const counted: CountedRecording[] = [];
  const takenForMatches: string[] = [];
  const played = found.flatMap((own, i): PlayedSession[] => {
    const name = found.length === 1 ? basename(task.folder) : `${basename(task.folder)} ${i + 1}`;
    const periods = choice === null || choice.index === i ? task.periods : null;
    const members = squadMembers(own, task.roster, recordings);
    const work = playedSession(name, members, players, { ...task, periods });
    messages.push(...work.messages);
    if (work.messages.some(({ kind }) => kind === "failure")) statuses.push(ExitStatus.failed);
    if (work.session === null) return [];
    if (work.isTakenForMatch) takenForMatches.push(name);
    counted.push(...members.flatMap((member) => countedOf(member, sources)));
    return [work.session];
  });
  const present = everyone.map(presentOf);
  const contents = [...sources.values()].map(({ name, content }) => [name, content] as const);
  return { played, takenForMatches, present, counted, contents, messages, status: statusOfAll(statuses) };
}

const countedOf = (
  { name: player, recordings }: SquadMember<ReadRecording>,
  sources: ReadonlyMap<ReadRecording, { name: string; content: string }>,
): CountedRecording[] =>
  recordings.flatMap((recording) => {
    const source = sources.get(recording);
    const { serial, samples } = recording;
    return source === undefined ? [] : [{ ...source, serial, player, spans: united(recordedSpans(samples)) }];
  });

function playedSession(
  name: string,
  members: readonly SquadMember<ReadRecording>[],
  people: readonly string[],
  {
    roster,
    periods: path,
    timeZone,
    preset,
    params,
    zones,
    recipes: named,
    optionalFigures,
    profile,
    isMatch,
  }: SessionTask,
): { session: PlayedSession | null; isTakenForMatch: boolean; messages: SessionWork["messages"] } {
  const players = namesIn(members, roster);
  const session = mainInterval(members.flatMap(({ recordings, leftOut }) => [...recordings, ...leftOut]));
  const where = { session, timeZone, players: people };
  const sheet = path === null ? null : readSheetFile(path, (bytes) => readPeriods(bytes, where));
  if (sheet !== null && sheet.lines.length > 0) {
    return {
      session: null,
      isTakenForMatch: false,
      messages: sheet.lines.map((text) => ({ kind: "failure", text })),
    };
  }
  const periods = sheet?.periods ?? asSessionPeriods(suggestPeriods(members));
  const halves = isMatch === false ? null : halvesOf(periods);
  const match = halves === null ? [] : [joinedPeriods("match", halves, players)];
  const recipes = named.map(({ recipe }) => recipe);
  // a session that a recipe cannot count, or without peaks or standard runs, must not prevent the results of the others
  const options = {
    ...{ preset, params, zones, recipes, mayBeUncounted: true },
    ...optionalFunctions(optionalFigures),
  };
  // without halves, nobody is on the bench: a player may do only one of two long drills
  const played = halves === null ? [] : suggestSubstitutions(periods, members).periods;
  const rows = squadRows(members, match, options, played);
  const { intervals } = sessionTime(members.flatMap(({ recordings }) => recordings));
  const outside = outsideText(periods, where.session, timeZone);
  const wanted = halves === null ? null : "match";
  const own = rows.filter(({ period }) => period === wanted);
  const added = [...recipeColumns(named), ...optionalColumns(optionalFigures)];
  const failures = [uncountedText(own), withoutPeaksText(own), withoutRunsText(own)].filter(
    (text) => text !== null,
  );
  return {
    session: {
      name,
      ...session,
      isMatch: isMatch ?? halves !== null,
      sport: preset ?? "soccer",
      note: isMatch || halves !== null ? matchNote(periods) : null,
      rows: own.map((row) => ({
        ...seasonRow(row, own, halves === null ? "session" : "halves", added),
        ...(profile && {
          speeds: sessionSpeeds(row.member, { preset, ...limitsOfIntervals(intervals ?? []) }),
        }),
      })),
    },
    isTakenForMatch: isMatch === null && halves !== null && sheet === null,
    messages: [
      ...(outside === null ? [] : [{ kind: "note" as const, text: `${name}: ${outside}` }]),
      ...[
        ...leftOutTexts(members),
        ...joinedTexts(members),
        ...severalSessionsTexts(members, timeZone),
        ...unreachableTexts(rows),
        ...withoutZonesTexts(members, zones),
      ].map((text) => ({
        kind: "note" as const,
        text: `${name}: ${text}`,
      })),
      ...failures.map((text) => ({ kind: "failure" as const, text: `${name}: ${text}` })),
    ],
  };
}
