import type { Metrics, NamedRecipe } from "../metrics/index.js";
import { KM_PER_H } from "../metrics/rounding.js";
import { count } from "../pictures/figure-text.js";
import { escaped } from "../pictures/svg.js";
import {
  groundOf,
  intervalsFor,
  MAIN_COLUMNS,
  MATCH,
  mainInterval,
  type SessionPeriod,
  type SquadColumn,
  type SquadRow,
  type ZoneKind,
} from "../squad/index.js";
import { notesOf } from "../squad/optional-columns.js";
import { recipeColumns } from "../squad/recipe-columns.js";
import { kmPerHText } from "./cells.js";
import { tableNote } from "./match-notes.js";
import { longestPeriods, playerPage } from "./player-page.js";
import { isSound, marksInWords, marksOf } from "./row-marks.js";
import { SPEED_LEGEND, STRIP_COLUMNS, speedColumns, speedStrip, stripTimes } from "./speed-strip.js";
import { recipeText } from "./squad-columns.js";
import { anchorOf, DOT_COLUMNS, dotPlot, squadTable } from "./squad-tables.js";
import { SCRIPT, STYLE } from "./style.js";

export {
  cautionsOf,
  isOptionalColumn,
  notesOf,
  type OptionalColumn,
  optionalColumns,
} from "../squad/optional-columns.js";
export { OPTIONAL_FIGURES, type OptionalFigure, optionalFunctions } from "../squad/optional-figures.js";
export { commonKey, recipeColumns } from "../squad/recipe-columns.js";
export { type Cell, csvInFile, type FileColumn, tableCsv, tableParquet, textLayout } from "./cell-files.js";
export { matchNote, tableNote } from "./match-notes.js";
export { meanText } from "./means.js";
export { NOTE_COLUMN } from "./note-column.js";
export { playerNotes } from "./season-notes.js";
export { SPEED_LEGEND, STRIP_COLUMNS, speedColumns, speedStrip, stripTimes } from "./speed-strip.js";
export {
  FILE_COLUMNS,
  fileColumns,
  MOST_RECIPES_ON_PAPER,
  recipeText,
  type SquadFileRow,
} from "./squad-columns.js";
export { DOT_COLUMNS, dotPicture } from "./squad-tables.js";
export { periodSheetColumns, sheetOf, workbookSheets } from "./workbook-sheets.js";

/** The data of a report. */
export interface SquadReport {
  title: string;
  /** Day, times and zone of the session. */
  subtitle: string;
  /** The rows from `squadRows`: each player for the session, the match and each period. The pages of the players follow this order. */
  rows: readonly SquadRow[];
  periods: readonly SessionPeriod[];
  /** UTC offset of local time. */
  offsetMs: number;
  /** The recipes with which the rows were computed. The tables also contain their counts and the rows that gates drop. Default: none. */
  recipes?: readonly NamedRecipe[];
  /** Columns of optional figures with which the rows were computed, such as peaks. The tables also contain them. Default: none. */
  further?: readonly SquadColumn[];
  /** Kind of individual zones with which the rows were computed. Default: fixed limits. */
  zones?: ZoneKind | undefined;
  /** Names of files of the session that could not be read. Default: none. */
  unread?: readonly string[];
}

/**
 * Writes a report of a session as one self-contained HTML file: the sortable table of the squad, a table for each period, the figures of
 * all players side by side, and a page for each player. On A4, the page of each player is one sheet.
 */
export function squadReport({
  title,
  subtitle,
  rows,
  periods,
  offsetMs,
  recipes = [],
  further = [],
  zones,
  unread = [],
}: SquadReport): string {
  const columns = [...reportColumns(recipes), ...further];
  const whole = rows.filter(({ period }) => period === null);
  const members = whole.map(({ member }) => member);
  const session = mainInterval(members.flatMap(({ recordings }) => recordings));
  const playOf = ({ name }: SquadRow["member"]) =>
    periods.length === 0 ? [session] : periods.flatMap((period) => intervalsFor(period, name));
  const limitMPerS = Math.max(
    ...whole.map(({ metrics }) => metrics?.definition.parameters.max_valid_speed ?? 0),
    0,
  );
  const times = stripTimes(session, offsetMs).map(
    ({ share, text }) => `<span style="left:${(share * 100).toFixed(2)}%">${text}</span>`,
  );
  const strips = {
    head: `Speed over the session<small class="clock">${times.join("")}</small>`,
    cell: ({ member }: SquadRow) =>
      speedStrip(
        speedColumns(member, session, STRIP_COLUMNS, limitMPerS),
        `Speed of ${escaped(member.name)}`,
      ),
  };
  const namesOnPaper = [...longestPeriods(periods)].map(({ name }) => name);
  const names = [...new Set(rows.flatMap(({ period }) => period ?? []))];
  const others = names.filter((name) => !namesOnPaper.includes(name)).map(escaped);
  const leftOut =
    others.length === 0
      ? ""
      : `<p class="paper-only note">The ${others.length === 1 ? "table" : "tables"} of ${others.join(", ")} ${others.length === 1 ? "is" : "are"} on the screen only; the pages of the players have the figures of all periods.</p>`;
  const note = tableNote(periods);
  const periodTables = names.map(
    (name) =>
      `<section class="period${namesOnPaper.includes(name) ? "" : " screen-only"}"><h2>${escaped(name)}</h2><div class="frame" tabindex="0">${squadTable(
        rows.filter((row) => row.period === name),
        columns,
        members,
        null,
      )}</div>${name === MATCH && note ? `<p class="note">${note}</p>` : ""}</section>`,
  );
  const dots = DOT_COLUMNS.map((column) => dotPlot(whole, column));
  const highestKmPerH = Math.max(20, ...whole.map(({ metrics }) => (metrics?.max_speed ?? 0) * KM_PER_H));
  const pages = {
    rows,
    columns,
    periods,
    session,
    ground: groundOf(members, playOf),
    highestKmPerH,
    offsetMs,
  };
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${escaped(title)}</title><style>${STYLE}</style></head><body>
<main><section id="squad"><h1>${escaped(title)}</h1><p>${escaped(subtitle)}</p>
<div class="frame" tabindex="0">${squadTable(whole, columns, members, strips)}</div>
<p class="strip-legend"><small>Mean speed in the strips: ${SPEED_LEGEND.from} ${SPEED_LEGEND.picture} ${SPEED_LEGEND.to}</small></p>
<p class="note">${escaped([recordingsInWords(whole, offsetMs), unreadText(unread)].filter(Boolean).join(" "))}</p>
<h2>The squad in six figures <small>each dot is a player; filled: plays at least 90 % of the session</small></h2>
<div class="six">${dots.join("")}</div></section>
${periodTables.join("\n")}${leftOut}
${whole.map((row, i) => playerPage(row, anchorOf(i), pages)).join("\n")}
</main><footer><p><small>${escaped([definitions(whole, zones), ...recipes.map(recipeText), ...notesOf(further)].join(" "))}</small></p></footer><script>${SCRIPT}</script></body></html>
`;
}

/** Returns the columns of the tables in a report: the main figures, the counts of recipes, and the rows that their gates drop. */
export const reportColumns = (recipes: readonly NamedRecipe[]): SquadColumn[] => [
  ...MAIN_COLUMNS,
  ...recipeColumns(recipes).filter(({ key }) => /_(count|gate_rows)$/.test(key)),
];

const unreadText = (names: readonly string[]): string =>
  names.length === 0 ? "" : `Files that cannot be read have no row: ${names.join(", ")}.`;

/**
 * Describes the problems of recordings in sentences.
 * @param offsetMs UTC offset of the local times
 */
export function recordingsInWords(rows: readonly SquadRow[], offsetMs: number): string {
  const limited = rows.filter((row) => marksOf(row).length > 0);
  // a player may have several recordings, and a player with an unreadable file has none
  const players = rows.filter(({ member }) => member.recordings.length > 0);
  const sound = `Recordings are complete and undamaged for ${players.filter(isSound).length} of ${count(players.length, "player")}.`;
  const named = limited.map(
    (row) =>
      `${[row.member.player?.number, row.member.name].filter((part) => part != null).join(" ")}: ${marksInWords(row, offsetMs).join(", ")}`,
  );
  return [
    sound,
    named.length === 0
      ? ""
      : `${named.join("; ")}. “≥” marks sums and highest values that miss more than 5 % of the time.`,
  ].join(" ");
}

const SPEEDS_OF_ZONES = { mss: "maximum speed", asr: "aerobic and maximum speed" } as const;

/**
 * Returns the definition with the thresholds of most players; some players may have individual thresholds. Undefined if there are no data.
 */
function usualDefinition(rows: readonly SquadRow[]): Metrics["definition"] | undefined {
  const byThresholds = new Map<string, Metrics["definition"][]>();
  for (const { metrics } of rows) {
    if (metrics === null) continue;
    const { hid_thresholds, sprint_threshold } = metrics.definition.parameters;
    const key = `${hid_thresholds} ${sprint_threshold}`;
    byThresholds.set(key, [...(byThresholds.get(key) ?? []), metrics.definition]);
  }
  return [...byThresholds.values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
}

/**
 * Describes the thresholds of the figures.
 * @param zones kind of individual zones. Default: fixed limits
 */
export function definitions(rows: readonly SquadRow[], zones?: ZoneKind): string {
  const definition = usualDefinition(rows);
  if (definition === undefined) return "";
  const { hid_thresholds, sprint_threshold, acceleration_thresholds } = definition.parameters;
  const speeds =
    zones === undefined
      ? `High speed from ${kmPerHText(hid_thresholds[1])} km/h, sprints at least 1 s from ${kmPerHText(sprint_threshold)} km/h, unless a player has individual thresholds`
      : `High speed and sprints by individual limits, from ${SPEEDS_OF_ZONES[zones]} (${zones}); players without these speeds have no such figures`;
  return `${speeds}; accelerations from ${acceleration_thresholds[0]} m/s². Definitions: docs/metrics.md, version ${definition.version}.`;
}
