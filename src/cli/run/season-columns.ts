import type { NamedRecipe } from "../../metrics/index.js";
import {
  daysSinceLast,
  isPlayedMatch,
  type Season,
  type SeasonEntry,
  type SeasonPlayer,
  type SquadColumn,
  seasonFigure,
  seasonSummary,
  shareOfMatches,
} from "../../squad/index.js";
import { type FileColumn, instantColumn, numberColumn, textColumn } from "../../squad-report/cell-files.js";
import {
  cautionColumns,
  figureTitle,
  hashColumns,
  rounded,
  share,
} from "../../squad-report/squad-columns.js";

/** A row of a file: a player in a session. */
export interface SeasonFileRow {
  player: SeasonPlayer;
  entry: SeasonEntry;
  /** The index of the session in the season. */
  index: number;
}

/** Returns the rows for all sessions of all players, except sessions without a recording of the player. */
export function seasonFileRows({ players }: Season): SeasonFileRow[] {
  return players.flatMap((player) =>
    player.entries.flatMap((entry, index) => (entry.row === null ? [] : [{ player, entry, index }])),
  );
}

const percent = (share: number | null) => (share === null ? null : Math.round(share * 1000) / 10);

const LIMITS = [
  ["high_speed_from_m_per_s", "High speed from, m/s", 2],
  ["sprint_from_m_per_s", "Sprint from, m/s", 2],
  ["max_hr", "Maximum heart rate set", 0],
] as const;

const AGAINST = "% of the 5 matches before";

/**
 * Returns the columns of a file with a row for each player and session: the figures, and the ratio of each to its mean over the previous
 * five matches.
 *
 * @param recipes the recipes whose counts are in `figures`; for each, a column contains the hash
 */
export const seasonColumns = (
  figures: readonly SquadColumn[],
  recipes: readonly NamedRecipe[],
): readonly FileColumn<SeasonFileRow>[] => [
  textColumn("player", "Player", ({ player }) => player.name),
  textColumn("number", "Number", ({ player }) => player.number),
  textColumn("position", "Position", ({ player }) => player.position),
  textColumn("session", "Session", ({ entry }) => entry.session.name),
  instantColumn("start", "Start", ({ entry }) => entry.session.startMs),
  textColumn("kind", "Kind", ({ entry }) => (entry.session.isMatch ? "match" : "training")),
  textColumn("covers", "Covers", ({ entry }) => entry.row?.covers ?? null),
  numberColumn("days_since", "Days since the previous session", 0, ({ entry }) => entry.daysSince),
  numberColumn("share_with_data", "Share with data", 2, ({ entry }) => share(entry.row?.coverage ?? null)),
  numberColumn("share_with_hr", "Share with heart rate", 2, ({ entry }) =>
    share(entry.row?.hrCoverage ?? null),
  ),
  numberColumn("share_played", "Share of the longest time", 2, ({ entry }) =>
    share(entry.row?.playedShare ?? null),
  ),
  numberColumn("share_on_bench", "Share on the bench", 2, ({ entry }) =>
    share(entry.row?.benchShare ?? null),
  ),
  numberColumn(
    "too_fast_rows",
    "Rows ignored as too fast",
    0,
    ({ entry }) => entry.row?.tooFast?.samples ?? null,
  ),
  numberColumn(
    "too_fast_s",
    "Time ignored as too fast, s",
    1,
    ({ entry }) => entry.row?.tooFast?.duration ?? null,
  ),
  ...LIMITS.map(([key, title, decimals]) =>
    numberColumn(key, title, decimals, ({ entry }: SeasonFileRow) => entry.row?.limits?.[key] ?? null),
  ),
  ...figures.map((figure) =>
    numberColumn(figure.key, figureTitle(figure), figure.decimals, ({ entry }: SeasonFileRow) =>
      rounded(seasonFigure(entry, figure)),
    ),
  ),
  ...figures.map((figure) =>
    numberColumn(
      `${figure.key}_percent_of_last_5_matches`,
      `${figure.title}, ${AGAINST}`,
      1,
      ({ player, index }: SeasonFileRow) => percent(shareOfMatches(player, index, figure)),
    ),
  ),
  ...hashColumns<SeasonFileRow>(recipes),
  ...cautionColumns<SeasonFileRow>(figures),
];

/** Returns the index of the last session that has a figure. */
export function lastIndexWith({ entries }: SeasonPlayer): number {
  return entries.findLastIndex(({ row }) => row !== null);
}

/**
 * Returns the columns of a file with a row for each player: the number of sessions, and for each figure the mean, the best value and the
 * ratio of the last session.
 */
export const playerColumns = (
  figures: readonly SquadColumn[],
  recipes: readonly NamedRecipe[],
): readonly FileColumn<SeasonPlayer>[] => [
  textColumn("player", "Player", ({ name }) => name),
  textColumn("number", "Number", (player) => player.number),
  textColumn("position", "Position", ({ position }) => position),
  numberColumn("sessions", "Sessions", 0, ({ entries }) => entries.filter(({ row }) => row !== null).length),
  numberColumn("matches", "Matches", 0, ({ entries }) => entries.filter(isPlayedMatch).length),
  numberColumn("days_since_last", "Days since the last session", 0, daysSinceLast),
  ...figures.flatMap((figure) => [
    numberColumn(
      `${figure.key}_mean`,
      `${figureTitle(figure)}: mean`,
      figure.decimals,
      (player: SeasonPlayer) => rounded(seasonSummary(player.entries, figure).mean),
    ),
    numberColumn(
      `${figure.key}_best`,
      `${figureTitle(figure)}: best`,
      figure.decimals,
      (player: SeasonPlayer) => rounded(seasonSummary(player.entries, figure).best),
    ),
    numberColumn(
      `${figure.key}_last_percent_of_last_5_matches`,
      `${figure.title}: last session, ${AGAINST}`,
      1,
      (player: SeasonPlayer) => percent(shareOfMatches(player, lastIndexWith(player), figure)),
    ),
  ]),
  ...hashColumns<SeasonPlayer>(recipes),
  ...cautionColumns<SeasonPlayer>(figures),
];
