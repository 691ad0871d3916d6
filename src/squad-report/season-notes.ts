import { count, decimalText, namesText } from "../pictures/figure-text.js";
import type { Season, SquadColumn } from "../squad/index.js";
import { seasonFigure } from "../squad/season.js";
import { comparedAt, isAlike, isOnBench } from "../squad/season-comparison.js";
import { matchNotes } from "./match-notes.js";

/**
 * Returns the sentences about sessions of a season that limit its figures and comparisons.
 *
 * @param columns the figures that are shown
 * @param now index of the session that is compared with earlier ones. Default: the last session
 */
export const seasonNotes = (season: Season, columns: readonly SquadColumn[], now?: number): string[] => [
  ...matchNotes(season.sessions),
  ...benchNotes(season),
  ...playerNotes(season, columns, now),
];

/** Returns those sentences that concern the figures of some players, whose entries can also be those of one player. */
export const playerNotes = (
  season: Pick<Season, "players">,
  columns: readonly SquadColumn[],
  now?: number,
): string[] => [...tooFastNotes(season), ...sportNotes(season, now), ...limitNotes(season, columns, now)];

/** Returns a sentence with names; none without names. */
const noteOf = (names: readonly string[], text: (names: string) => string): string[] =>
  names.length === 0 ? [] : [text(namesText(names))];

/** Returns the sentence about players who seem to be on the bench, with their matches. */
function benchNotes({ sessions, players }: Season): string[] {
  const named = sessions.flatMap(({ name }, i) => {
    const own = players.filter(({ entries }) => entries[i] !== undefined && isOnBench(entries[i]));
    return own.length === 0 ? [] : [`${name} (${namesText(own.map((player) => player.name))})`];
  });
  return noteOf(
    named,
    (names) =>
      `Figures with more than 10 % of the time on the bench count in no mean and no normal range: ${names}. Add the times of substitutes to the periods.`,
  );
}

/** Returns the sentence about rows that no figure includes, with their number and duration for each player. */
function tooFastNotes({ players }: Pick<Season, "players">): string[] {
  const named = players.flatMap(({ name, entries }) => {
    const all = entries.flatMap(({ row }) => row?.tooFast ?? []);
    const rows = all.reduce((sum, { samples }) => sum + samples, 0);
    const seconds = all.reduce((sum, { duration }) => sum + duration, 0);
    return rows === 0 ? [] : `${name} (${count(rows, "row")}, ${decimalText(seconds, 1)} s)`;
  });
  return noteOf(named, (names) => `Too fast for the sport and in no figure: ${names}. Is the sport correct?`);
}

/** Returns the sentence about sessions of another sport than the one that is compared. */
function sportNotes({ players }: Pick<Season, "players">, now?: number): string[] {
  const { sport } = comparedAt(players[0]?.entries ?? [], now);
  const others = players.flatMap(({ entries }) =>
    entries.flatMap(({ row, session }) => (row === null || session.sport === sport ? [] : session.name)),
  );
  return noteOf(
    [...new Set(others)],
    (names) => `Sessions of another sport than ${sport} ${NOT_COMPARED} ${names}.`,
  );
}

const NOT_COMPARED = "are in no mean, best value or normal range:";

/** Returns the sentence about sessions whose limits differ from those of the session that is compared, with their number for each player. */
function limitNotes(
  { players }: Pick<Season, "players">,
  columns: readonly SquadColumn[],
  now?: number,
): string[] {
  const named = columns.flatMap((column) => {
    const names = players.flatMap(({ name, entries }) => {
      const compared = comparedAt(entries, now);
      const { length } = entries.filter(
        (entry) =>
          seasonFigure(entry, column) !== null &&
          entry.session.sport === compared.sport &&
          !isAlike(entry, column, compared),
      );
      return length === 0 ? [] : [`${name} (${length})`];
    });
    return names.length === 0 ? [] : [`${column.title}: ${namesText(names)}`];
  });
  return named.length === 0
    ? []
    : [`Sessions with another threshold or maximum heart rate ${NOT_COMPARED} ${named.join("; ")}.`];
}
