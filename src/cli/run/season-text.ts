import { count } from "../../pictures/figure-text.js";
import {
  daysSinceLast,
  isPlayedMatch,
  isWholeEntry,
  type Season,
  type SeasonEntry,
  type SeasonPlayer,
  type SquadColumn,
  seasonSummary,
  shareOfMatches,
} from "../../squad/index.js";
import { comparedAt, coversHalves } from "../../squad/season-comparison.js";
import { cellText } from "../../squad-report/cells.js";
import { entryText, markOf } from "../../squad-report/season-entry.js";
import { seasonNotes } from "../../squad-report/season-notes.js";
import { recipeText } from "../../squad-report/squad-columns.js";
import { lastIndexWith } from "./season-columns.js";
import { loadText, type SeasonLoads } from "./season-load.js";
import { type SpeedsOf, speedsText } from "./season-speeds.js";
import type { SquadOrder } from "./squad-options.js";

/** Widths of the first two columns: day and name of a session. */
const DAY_WIDTH = 12;
const SESSION_WIDTH = 22;

/** Functions that add lines after the table of each player. Null adds no lines. */
interface LinesAfterTable {
  loads: SeasonLoads | null;
  speedsOf: SpeedsOf | null;
}

/** Formats a table for each player: all sessions, mean, best, and the last session compared with the previous five matches. */
export function seasonText(
  season: Season,
  { columns, recipes, cautions }: Pick<SquadOrder, "columns" | "recipes" | "cautions">,
  instantText: (ms: number) => string,
  after: LinesAfterTable,
): string {
  const day = (ms: number) => instantText(ms).slice(0, 10);
  const { sessions, players } = season;
  const heading = `${count(sessions.length, "session")}, ${day(sessions[0]?.startMs ?? 0)} to ${day(sessions.at(-1)?.startMs ?? 0)}, ${count(players.length, "player")}. Figures of a match (M) are from its two halves.`;
  const start = [heading, ...seasonNotes(season, columns), ...recipes.map(recipeText), ...cautions].join(
    "\n",
  );
  return [start, ...players.map((player) => playerText(player, columns, day, after))]
    .join("\n\n")
    .concat("\n");
}

function playerText(
  player: SeasonPlayer,
  columns: readonly SquadColumn[],
  day: (ms: number) => string,
  { loads, speedsOf }: LinesAfterTable,
): string {
  const widths = columns.map(({ head, unit }) => Math.max(head.length, unit.length, 6) + 2);
  const line = (label: string, cells: readonly string[], end = "") =>
    `${label.padEnd(DAY_WIDTH + SESSION_WIDTH)}${cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join("")}  ${end}`.trimEnd();
  const own = player.entries.filter(({ row }) => row !== null);
  const figures = (entry: SeasonEntry) => columns.map((column) => entryText(entry, column));
  const compared = comparedAt(own);
  const summary = (some: readonly SeasonEntry[], which: "mean" | "best") =>
    columns.map((column) => cellText(column, seasonSummary(some, column, compared)[which]));
  const whole = own.filter((entry) => isWholeEntry(entry));
  const matches = whole.filter(isPlayedMatch);
  const last = lastIndexWith(player);
  const shares = columns.map((column) => {
    const share = shareOfMatches(player, last, column);
    return share === null ? "–" : `${markOf(player.entries[last], column)}${Math.round(share * 100)} %`;
  });
  const since = daysSinceLast(player);
  const ago = since === null || since === 0 ? "" : `, ${count(since, "day")} before the last of the squad`;
  return [
    [
      [player.number, player.name, player.position].filter((part) => part !== null).join(" "),
      `: ${count(own.length, "session")}${ago}`,
    ].join(""),
    line(
      "",
      columns.map(({ head }) => head),
      "since",
    ),
    ...own.map((entry) => line(labelOf(entry, day), figures(entry), endText(entry))),
    line(`Mean of ${count(whole.length, "session")}`, summary(whole, "mean")),
    ...(matches.length === 0 || matches.length === whole.length
      ? []
      : [
          line(
            matches.length === 1 ? "The match" : `Mean of ${matches.length} matches`,
            summary(matches, "mean"),
          ),
        ]),
    line("Best", summary(own, "best")),
    line("Last, against up to 5 matches", shares),
    ...(loads === null ? [] : [loadText(player, loads)]),
    ...(speedsOf === null ? [] : [speedsText(player, speedsOf)]),
  ].join("\n");
}

function labelOf(entry: SeasonEntry, day: (ms: number) => string): string {
  const { name, startMs } = entry.session;
  const kind = coversHalves(entry) ? " M" : "";
  const room = SESSION_WIDTH - 1 - kind.length;
  const cut = name.length > room ? `${name.slice(0, room - 1)}…` : name;
  return `${day(startMs)}  ${cut}${kind}`;
}

/** Formats the days since the previous session, and the number of rows that no figure includes. */
const endText = ({ daysSince, row }: SeasonEntry) =>
  `${daysSince === null ? "" : `${daysSince} d`}${row?.tooFast?.samples ? `  ${count(row.tooFast.samples, "row")} too fast` : ""}`;
