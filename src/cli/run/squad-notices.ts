import { KM_PER_H } from "../../metrics/rounding.js";
import { repeatedIn } from "../../metrics/samples.js";
import { count, decimalText, MOST_NAMES, namesText } from "../../pictures/figure-text.js";
import { unreachableText } from "../../pictures/unreachable-threshold.js";
import {
  hasZoneSpeeds,
  type Interval,
  mainInterval,
  nameKey,
  ofAnotherSport,
  periodsOutside,
  type Roster,
  type SessionPeriod,
  type SquadMember,
  type SquadRow,
  type SuggestedSubstitutions,
  type ZoneKind,
} from "../../squad/index.js";
import { periodsCsv, unknownTrackers, wrongLines } from "../../squad/sheets.js";
import type { Context } from "../batch/batch.js";
import { instantFormat } from "../terminal/time-text.js";

/** A player with a recording. */
export interface Present {
  /** Name from the roster, otherwise from the file. */
  name: string;
  isInRoster: boolean;
  recordings: readonly { serial: string; fileName: string }[];
}

/** A roster and its path. */
export interface RosterFile {
  path: string;
  roster: Roster;
}

/** Returns one message about the players who have no figures by individual zones. */
export function withoutZonesTexts(members: readonly SquadMember[], kind: ZoneKind | undefined): string[] {
  if (kind === undefined) return [];
  const names = members.filter(({ player }) => !hasZoneSpeeds(kind, player)).map(({ name }) => name);
  const needed = kind === "mss" ? "max_speed" : "max_speed and aerobic_speed";
  return names.length === 0
    ? []
    : [
        `The roster has no ${needed} for ${names.join(", ")}: they have no high-speed distance and no sprints`,
      ];
}

export function rosterFiles(path: string | null | undefined, roster: Roster | null): RosterFile[] {
  return path == null || roster === null ? [] : [{ path, roster }];
}

/** Reports players in the rosters without a recording, and recordings without a player. */
export function tellAbsent(
  rosters: readonly RosterFile[],
  present: readonly Present[],
  { console }: Context,
): void {
  if (rosters.length === 0) return;
  const owners = present.flatMap(({ name, isInRoster, recordings }) =>
    recordings.map((recording) => ({ ...recording, player: isInRoster ? name : null })),
  );
  const unknown = rosters.map(({ path, roster }) => ({ path, trackers: unknownTrackers(roster, owners) }));
  const wrong = new Set<string>();
  const paired = new Set<string>();
  for (const { path, trackers } of unknown) {
    for (const { serial, fileName, player, named } of wrongLines(trackers)) {
      wrong.add(nameKey(player.name));
      paired.add(serial);
      console.message(
        `${path}, line ${player.line}: No recording belongs to ${named}, so this line and the periods of ${player.name} have no effect. ${serial} (${fileName}) is not in the roster. If it belongs to ${player.name}, correct the line`,
      );
    }
  }
  const found = new Set(present.filter(({ isInRoster }) => isInRoster).map(({ name }) => nameKey(name)));
  const names = new Map(
    rosters.flatMap(({ roster }) => roster.players.map(({ name }) => [nameKey(name), name] as const)),
  );
  const absent = [...names].filter(([key]) => !found.has(key) && !wrong.has(key)).map(([, name]) => name);
  if (absent.length > 0) console.message(absentText(absent, names.size));
  const unnamed = new Map(
    present.flatMap(({ name, isInRoster, recordings }) =>
      isInRoster || recordings.some(({ serial }) => paired.has(serial)) ? [] : [[name, recordings] as const],
    ),
  );
  if (unnamed.size > 0) {
    const trackers = [...unnamed].map(([name, recordings]) => {
      const serials = new Set(recordings.map(({ serial }) => serial));
      const likely = unknown
        .flatMap(({ trackers: all }) => all)
        .filter(({ serial }) => serials.has(serial))
        .flatMap((one) => one.likely);
      const players = [...new Set(likely.map(({ player }) => player.name))];
      return players.length === 0 ? name : `${name} (perhaps of ${players.join(" or ")})`;
    });
    console.message(`The roster does not contain the trackers of ${trackers.join(", ")}`);
  }
}

/** Reports the players whose maximum heart rate no roster contains: it is estimated from the age, or their training impulse is unknown. */
export function tellWithoutMaxHr(
  rosters: readonly RosterFile[],
  present: readonly Present[],
  { console }: Context,
): void {
  const keysWith = (key: "maxHr" | "birthDate") =>
    new Set(
      rosters.flatMap(({ roster }) =>
        roster.players.filter((player) => player[key] !== null).map(({ name }) => nameKey(name)),
      ),
    );
  const [known, aged] = [keysWith("maxHr"), keysWith("birthDate")];
  const all = new Map(present.map(({ name }) => [nameKey(name), name]));
  const unknown = [...all].filter(([key]) => !known.has(key));
  const namesOf = (isAged: boolean) =>
    unknown.filter(([key]) => aged.has(key) === isAged).map(([, name]) => name);
  const [estimated, missing] = [namesOf(true), namesOf(false)];
  if (estimated.length > 0)
    console.message(
      `The roster has no max_hr for ${namesText(estimated)}: their maximum heart rate is estimated from the age`,
    );
  if (missing.length === 0) return;
  console.message(
    missing.length === all.size
      ? "The training impulse needs the maximum heart rate of each player: add the column max_hr to the roster"
      : `The roster has no max_hr for ${namesText(missing)}: their training impulse is unknown`,
  );
}

function absentText(absent: readonly string[], players: number): string {
  if (absent.length <= MOST_NAMES)
    return `No recording of ${absent.join(", ")}, who ${absent.length === 1 ? "is" : "are"} in the roster`;
  return `No recording of ${absent.length} of the ${players} players in the roster: ${namesText(absent)}`;
}

export function presentOf({ name, player, recordings, leftOut }: SquadMember): Present {
  return {
    name,
    isInRoster: player !== null,
    // rows are excluded, because the result is cached and sent between threads
    recordings: [...recordings, ...leftOut].map(({ serial, fileName }) => ({ serial, fileName })),
  };
}

/** Reports recordings that look like a faster sport. */
export function tellOtherSport(rows: readonly SquadRow[], { console }: Context): void {
  const limit = rows.find(({ metrics }) => metrics)?.metrics?.definition.parameters.max_valid_speed;
  if (limit === undefined) return;
  const all = rows.filter(({ period }) => period === null).map(({ member }) => member);
  const members = ofAnotherSport(all, limit);
  if (members.length === 0) return;
  console.message(
    `More than 1 % of the moving rows of ${members.map(({ name }) => name).join(", ")} are faster than ${decimalText(limit * KM_PER_H, 1)} km/h and not counted. Is it another sport? Name it with --sport, such as --sport cycling`,
  );
}

/** Returns messages about players with an unreachable threshold. */
export function unreachableTexts(rows: readonly SquadRow[]): string[] {
  return rows.flatMap(({ member, period, metrics }) => {
    const text = period !== null || metrics === null ? null : unreachableText(metrics);
    return text === null ? [] : [`${member.name}: ${text}`];
  });
}

/** Returns a message with the players whose rows a recipe cannot count, and the reason for the first one; null for none. */
export const uncountedText = (rows: readonly SquadRow[]): string | null =>
  missingText("counts of a recipe", rows, ({ uncounted }) => uncounted);

/** Returns a message with the players whose peaks cannot be computed, and the reason for the first one; null for none. */
export const withoutPeaksText = (rows: readonly SquadRow[]): string | null =>
  missingText("peaks", rows, ({ withoutPeaks }) => withoutPeaks);

/** Returns the same message for standard runs. */
export const withoutRunsText = (rows: readonly SquadRow[]): string | null =>
  missingText("standard runs", rows, ({ withoutRuns }) => withoutRuns);

function missingText(
  what: string,
  rows: readonly SquadRow[],
  reasonOf: (row: SquadRow) => string | undefined,
): string | null {
  const reasons = rows.flatMap((row) => {
    const reason = reasonOf(row);
    return reason === undefined ? [] : [{ player: row.member.name, reason }];
  });
  const [first] = reasons;
  if (first === undefined) return null;
  return `no ${what} for ${reasons.map(({ player }) => player).join(", ")}. ${first.reason}`;
}

/** Returns messages about recordings that overlap another recording of the same player. */
export function leftOutTexts(members: readonly SquadMember[]): string[] {
  return members
    .filter(({ leftOut }) => leftOut.length > 0)
    .map(({ name, recordings, leftOut }) => {
      const names = (some: readonly { fileName: string }[]) =>
        some.map(({ fileName }) => fileName).join(", ");
      const [used, omitted] = [names(recordings), names(leftOut)];
      return `${name} has simultaneous recordings: only ${used} is used, not ${omitted}. If they are of different players, give each a separate serial number or file in the roster`;
    });
}

/** Returns messages about rows with equal times in two joined recordings of a player. */
export function joinedTexts(members: readonly SquadMember[]): string[] {
  return members.flatMap(({ name, recordings }) => {
    const own = recordings.map(({ samples }) => repeatedIn(samples));
    const all = repeatedIn(recordings.map(({ samples }) => samples));
    const rows = all.samples - own.reduce((sum, { samples }) => sum + samples, 0);
    return rows === 0
      ? []
      : [
          `${name}: two recordings have rows at the same times; ${count(rows, "row")} of the later recording not used`,
        ];
  });
}

/**
 * Prints suggested halves and substitutions as lines that can be saved as periods.csv.
 *
 * @param periods periods from a file; null if the suggested ones are used
 * @param areUsed whether the suggested times determine the output
 */
export function tellSuggestions(
  periods: readonly SessionPeriod[] | null,
  { periods: suggested, players }: SuggestedSubstitutions,
  members: readonly SquadMember[],
  timeZone: string | undefined,
  { console }: Context,
  areUsed = periods === null,
): void {
  const areOfFile = periods !== null && periods.length > 0;
  if (periods === null && suggested.length === 0) {
    console.message("No periods are suggested: the squad has no common pauses around 15 minutes of play");
  }
  if (suggested.length === 0 || (areOfFile && players.length === 0)) return;
  const seem = count(players.length, "player seems", "players seem");
  const bench = areUsed ? "." : "; without these times the bench counts as playing, except in means.";
  const sentences = [
    ...(areOfFile ? [] : ["Periods are suggested from common pauses."]),
    ...(players.length === 0 ? [] : [`${seem} to come on, go off or sit out${bench}`]),
    areUsed
      ? "To change them, save these lines as periods.csv beside the recordings:"
      : "Save these lines as periods.csv beside the recordings:",
  ];
  console.message(sentences.join(" "));
  const where = {
    session: mainInterval(members.flatMap(({ recordings }) => recordings)),
    timeZone,
    players: members.map(({ name }) => name),
  };
  const lines = periodsCsv(suggested, where).trimEnd().split("\n");
  for (const line of lines) console.message(players.length > 0 ? line : line.replace(/,(player)?$/, ""));
}

/** Returns a message about periods outside the recordings; null for none. */
export function outsideText(
  periods: readonly SessionPeriod[],
  session: Interval,
  timeZone: string | undefined,
): string | null {
  const outside = periodsOutside(periods, session);
  if (outside.length === 0) return null;
  const text = instantFormat(timeZone);
  const dayOf = (ms: number) => text(ms).slice(0, 10);
  const recorded = new Set([dayOf(session.startMs), dayOf(session.endMs - 1)]);
  const times = ({ startMs, endMs }: Interval, hasDate: boolean) =>
    `${hasDate ? `${dayOf(startMs)} ` : ""}${text(startMs).slice(11, 19)} to ${text(endMs).slice(11, 19)}`;
  const isOtherDay = ({ startMs, endMs }: Interval) =>
    !recorded.has(dayOf(startMs)) && !recorded.has(dayOf(endMs));
  const hasDates = outside.some(({ all, own }) =>
    [...(all === null ? [] : [all]), ...[...own.values()].flat()].some(isOtherDay),
  );
  const names = outside.map(({ name, all }) =>
    all === null ? `"${name}"` : `"${name}" (${times(all, hasDates)})`,
  );
  const remedy = hasDates
    ? "Change the dates of the periods"
    : timeZone === undefined
      ? "Set the time zone of the periods with --tz"
      : "Change the times of the periods or --tz. A tracker that was started late or replaced has no rows at these times";
  return `Periods outside the recordings, which are from ${times(session, hasDates)} (${timeZone ?? "UTC"}): ${names.join(", ")}. ${remedy}`;
}
