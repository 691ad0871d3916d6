import {
  daysSinceLast,
  isPlayedMatch,
  type Season,
  type SeasonEntry,
  type SeasonPlayer,
  SQUAD_COLUMNS,
  seasonFigure,
  seasonSummary,
  shareOfMatches,
} from "../../squad/index.js";
import type { FileColumn } from "./cell-files.js";
import { figureTitle, rounded } from "./squad-columns.js";

/** A row of a file: a player in a session. */
export interface SeasonFileRow {
  player: SeasonPlayer;
  entry: SeasonEntry;
  /** Of the session in the season. */
  index: number;
}

/** All sessions of all players, those without a recording of the player left out. */
export function seasonFileRows({ players }: Season): SeasonFileRow[] {
  return players.flatMap((player) =>
    player.entries.flatMap((entry, index) => (entry.row === null ? [] : [{ player, entry, index }])),
  );
}

const percent = (share: number | null) => (share === null ? null : Math.round(share * 1000) / 10);

const text = <R>(key: string, title: string, cell: (row: R) => string | null): FileColumn<R> => ({
  key,
  title,
  kind: "text",
  decimals: 0,
  cell,
});

const number = <R>(
  key: string,
  title: string,
  decimals: number,
  cell: (row: R) => number | null,
): FileColumn<R> => ({ key, title, kind: "number", decimals, cell });

const AGAINST = "% of the 5 matches before";

/** A row for each player and session: the figures, and each as a share of the mean of the last five matches before. */
export const SEASON_COLUMNS: readonly FileColumn<SeasonFileRow>[] = [
  text("player", "Player", ({ player }) => player.name),
  text("number", "Number", ({ player }) => player.number),
  text("position", "Position", ({ player }) => player.position),
  text("session", "Session", ({ entry }) => entry.session.name),
  { ...number("start", "Start", 0, ({ entry }) => entry.session.startMs), kind: "instant" },
  text("kind", "Kind", ({ entry }) => (entry.session.isMatch ? "match" : "training")),
  number("days_since", "Days since the session before", 0, ({ entry }) => entry.daysSince),
  number("share_with_data", "Share with data", 2, ({ entry }) =>
    entry.row?.coverage == null ? null : Math.round(entry.row.coverage * 1000) / 1000,
  ),
  ...SQUAD_COLUMNS.map((figure) =>
    number(figure.key, figureTitle(figure), figure.decimals, ({ entry }: SeasonFileRow) =>
      rounded(seasonFigure(entry, figure)),
    ),
  ),
  ...SQUAD_COLUMNS.map((figure) =>
    number(
      `${figure.key}_percent_of_last_5_matches`,
      `${figure.title}, ${AGAINST}`,
      1,
      ({ player, index }: SeasonFileRow) => percent(shareOfMatches(player, index, figure)),
    ),
  ),
];

/** The last session of which there is a figure. */
export function lastIndexWith({ entries }: SeasonPlayer): number {
  return entries.findLastIndex(({ row }) => row !== null);
}

/** A row for each player: how many sessions, and mean, best, last and its share of each figure. */
export const PLAYER_COLUMNS: readonly FileColumn<SeasonPlayer>[] = [
  text("player", "Player", ({ name }) => name),
  text("number", "Number", (player) => player.number),
  text("position", "Position", ({ position }) => position),
  number("sessions", "Sessions", 0, ({ entries }) => entries.filter(({ row }) => row !== null).length),
  number("matches", "Matches", 0, ({ entries }) => entries.filter(isPlayedMatch).length),
  number("days_since_last", "Days since the last session", 0, daysSinceLast),
  ...SQUAD_COLUMNS.flatMap((figure) => [
    number(`${figure.key}_mean`, `${figureTitle(figure)}: mean`, figure.decimals, (player: SeasonPlayer) =>
      rounded(seasonSummary(player.entries, figure).mean),
    ),
    number(`${figure.key}_best`, `${figureTitle(figure)}: best`, figure.decimals, (player: SeasonPlayer) =>
      rounded(seasonSummary(player.entries, figure).best),
    ),
    number(
      `${figure.key}_last_percent_of_last_5_matches`,
      `${figure.title}: last session, ${AGAINST}`,
      1,
      (player: SeasonPlayer) => percent(shareOfMatches(player, lastIndexWith(player), figure)),
    ),
  ]),
];
