import { repeatedIn } from "../../metrics/samples.js";
import { count, decimalText, KM_PER_H, unreachableText } from "../../pictures/figure-text.js";
import {
  asSessionPeriods,
  type Interval,
  mainInterval,
  nameKey,
  ofAnotherSport,
  periodsCsv,
  periodsOutside,
  type Roster,
  type SessionPeriod,
  type SquadMember,
  type SquadRow,
  suggestPeriods,
  suggestSubstitutions,
} from "../../squad/index.js";
import type { Context } from "../batch/batch.js";
import { instantFormat } from "../terminal/time-text.js";

/** A player with a recording. */
export interface Present {
  /** From the roster, else from the file. */
  name: string;
  isInRoster: boolean;
}

/** Reports players of the roster without a recording, and recordings without a player. */
export function tellAbsent(roster: Roster | null, present: readonly Present[], { console }: Context): void {
  if (roster === null) return;
  const found = new Set(present.filter(({ isInRoster }) => isInRoster).map(({ name }) => nameKey(name)));
  const names = new Map(roster.players.map(({ name }) => [nameKey(name), name]));
  const absent = [...names].filter(([key]) => !found.has(key)).map(([, name]) => name);
  if (absent.length > 0) {
    console.message(
      `No recording of ${absent.join(", ")}, who ${absent.length === 1 ? "is" : "are"} in the roster`,
    );
  }
  const unnamed = new Set(present.filter(({ isInRoster }) => !isInRoster).map(({ name }) => name));
  if (unnamed.size > 0)
    console.message(`The roster does not name the trackers of ${[...unnamed].join(", ")}`);
}

export function presentOf({ name, player }: SquadMember): Present {
  return { name, isInRoster: player !== null };
}

/** Reports recordings that look like a faster sport. */
export function tellOtherSport(rows: readonly SquadRow[], { console }: Context): void {
  const members = ofAnotherSport(rows);
  if (members.length === 0) return;
  const limit =
    rows.find(({ metrics }) => metrics !== null)?.metrics?.definition.parameters.max_valid_speed ?? 0;
  console.message(
    `More than 1 % of the moving rows of ${members.map(({ name }) => name).join(", ")} are faster than ${decimalText(limit * KM_PER_H, 1)} km/h and not counted. Is it another sport? Name it with --sport, such as --sport cycling`,
  );
}

/** Messages about players with an unreachable threshold. */
export function unreachableTexts(rows: readonly SquadRow[]): string[] {
  return rows.flatMap(({ member, period, metrics }) => {
    const text = period !== null || metrics === null ? null : unreachableText(metrics);
    return text === null ? [] : [`${member.name}: ${text}`];
  });
}

/** Messages about recordings that overlap with another recording of the same player. */
export function leftOutTexts(members: readonly SquadMember[]): string[] {
  return members
    .filter(({ leftOut }) => leftOut.length > 0)
    .map(({ name, recordings, leftOut }) => {
      const names = (some: readonly { fileName: string }[]) =>
        some.map(({ fileName }) => fileName).join(", ");
      const [counts, count] = [names(recordings), names(leftOut)];
      return `${name} has recordings of the same time: ${counts} counts, ${count} does not. If they are of different players, give each a serial or a file of its own in the roster`;
    });
}

/** Messages about rows with equal times in two joined recordings of a player. */
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

/** Prints suggested halves and substitutions as lines that can be saved as periods.csv. */
export function tellSuggestions(
  periods: readonly SessionPeriod[],
  members: readonly SquadMember[],
  timeZone: string | undefined,
  { console }: Context,
): void {
  const recordings = members.flatMap((member) => member.recordings);
  const known =
    periods.length > 0 ? periods : asSessionPeriods(suggestPeriods(recordings.map(({ samples }) => samples)));
  const { periods: suggested, players } = suggestSubstitutions(known, members);
  if (suggested.length === 0 || (periods.length > 0 && players.length === 0)) return;
  const sentences = [
    ...(periods.length > 0 ? [] : ["Periods are suggested by the common pauses."]),
    ...(players.length === 0
      ? []
      : [
          `${count(players.length, "player seems", "players seem")} to come on, go off or sit out; without these times the bench counts as playing.`,
        ]),
    "Save these lines as periods.csv beside the recordings:",
  ];
  console.message(sentences.join(" "));
  const where = {
    session: mainInterval(recordings),
    timeZone,
    players: members.map(({ name }) => name),
  };
  const lines = periodsCsv(suggested, where).trimEnd().split("\n");
  for (const line of lines) console.message(players.length > 0 ? line : line.replace(/,(player)?$/, ""));
}

/** A message about periods outside the recordings; null for none. */
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
  const remedy = hasDates ? "Change the dates of the periods" : "The clock of the periods is named with --tz";
  return `Not within the recordings, which are of ${times(session, hasDates)} (${timeZone ?? "UTC"}): ${names.join(", ")}. ${remedy}`;
}
