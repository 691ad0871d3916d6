import { escaped } from "../pictures/svg.js";
import {
  figureOf,
  SQUAD_COLUMNS,
  type SquadColumn,
  type SquadRow,
  summaryOf,
  wholeRows,
} from "../squad/index.js";
import { cellText, unitText } from "./cells.js";
import { meanText } from "./means.js";
import { byPosition } from "./positions.js";
import { marksOf } from "./row-marks.js";

/** An additional column, such as one with strips. */
export interface ExtraColumn {
  head: string;
  cell(row: SquadRow): string;
}

/** Returns the header of a column as HTML. Names of recipes are long, so they can break after a slash. */
export const headOf = (column: SquadColumn): string =>
  SQUAD_COLUMNS.includes(column)
    ? escaped(column.head)
    : `<span class="named">${escaped(column.head).replaceAll("/", "/<wbr>")}</span>`;

/** Returns the anchor of a player's page. */
export const anchorOf = (index: number): string => `player-${index + 1}`;

/**
 * Writes a table of the squad in one period: positions with their means, and a row for each player. The script of the report sorts it.
 *
 * @param order all members in the order of their pages, for links
 */
export function squadTable(
  rows: readonly SquadRow[],
  columns: readonly SquadColumn[],
  order: readonly SquadRow["member"][],
  extra: ExtraColumn | null,
): string {
  const heads = columns.map(
    (column) =>
      `<th scope="col" class="figure"><button type="button">${headOf(column)}</button><small>${escaped(unitText(column, rows))}</small></th>`,
  );
  const whole = wholeRows(rows);
  const countOf = (some: readonly SquadRow[]) => some.filter((row) => whole.has(row)).length;
  const highest = columns.map((column) => summaryOf(rows, column, whole).highest ?? 0);
  const meanRow = (label: string, some: readonly SquadRow[]) => {
    const cells = columns.map((column) => `<td class="figure">${meanText(some, column, whole)}</td>`);
    return `<tr class="mean"><th scope="row">${label}</th>${cells.join("")}${extra === null ? "" : "<td></td>"}</tr>`;
  };
  const body = byPosition(rows).flatMap(({ name, rows: own }) => [
    meanRow(`${escaped(name)} <small>mean of ${countOf(own)}</small>`, own),
    ...own.map((row) => playerRow(row, columns, highest, order, extra)),
  ]);
  const foot = meanRow(`Mean of ${whole.size} <small>who play at least 90 % of the period</small>`, rows);
  const extraHead = extra === null ? "" : `<th scope="col" class="wide">${extra.head}</th>`;
  return `<table class="squad"><thead><tr><th scope="col"><button type="button">Player</button></th>${heads.join("")}${extraHead}</tr></thead><tbody>${body.join("")}</tbody><tfoot>${foot}</tfoot></table>`;
}

function playerRow(
  row: SquadRow,
  columns: readonly SquadColumn[],
  highest: readonly number[],
  order: readonly SquadRow["member"][],
  extra: ExtraColumn | null,
): string {
  const { member } = row;
  const cells = columns.map((column, i) => {
    const value = figureOf(row, column);
    const share =
      value === null || column.kind !== "sum"
        ? 0
        : Math.round((100 * value) / Math.max(1e-9, highest[i] ?? 0)) / 100;
    const bar = share > 0 ? ` style="--share:${share}"` : "";
    return `<td class="figure" data-value="${value ?? ""}"${bar}>${cellText(column, value, row)}</td>`;
  });
  const number = member.player?.number ?? "";
  const marks = marksOf(row);
  const mark =
    marks.length === 0
      ? ""
      : ` <span class="mark" title="${escaped(marks.join(", "))}">${escaped(marks[0] ?? "")}</span>`;
  const extraCell = extra === null ? "" : `<td class="wide">${extra.cell(row)}</td>`;
  return `<tr class="player${row.periodMs === 0 ? " absent" : ""}"><th scope="row" data-value="${escaped(member.name)}"><span class="number">${escaped(number)}</span> <a href="#${anchorOf(order.indexOf(member))}">${escaped(member.name)}</a>${mark}</th>${cells.join("")}${extraCell}</tr>`;
}

const DOTS = { width: 340, left: 10, size: 13, lanes: 6 };

/** The figures that the report draws for all players. */
export const DOT_COLUMNS = SQUAD_COLUMNS.filter(({ key }) =>
  ["distance_m", "rate_m_per_min", "high_speed_m", "sprints", "top_speed_km_per_h", "hr_mean_bpm"].includes(
    key,
  ),
);

/** Draws a figure of all players below its name. Empty if no player has the figure. */
export function dotPlot(rows: readonly SquadRow[], column: SquadColumn): string {
  const picture = dotPicture(rows, column);
  if (picture === "") return "";
  return `<figure class="dots"><figcaption>${escaped(column.title)} <small>${escaped(unitText(column, rows))}</small></figcaption>${picture}</figure>`;
}

/**
 * Draws all players on a line from the lowest to the highest figure. The dot of a player is filled if the player plays nearly the whole
 * period. Returns SVG; empty if there are no players.
 */
export function dotPicture(rows: readonly SquadRow[], column: SquadColumn): string {
  const { width, left, size, lanes } = DOTS;
  const whole = wholeRows(rows);
  const points = rows
    .flatMap((row) => {
      const value = figureOf(row, column);
      return value === null ? [] : [{ row, value }];
    })
    .sort((a, b) => a.value - b.value);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return "";
  const range = Math.max(1e-9, last.value - first.value);
  const ends = Array.from({ length: lanes }, () => Number.NEGATIVE_INFINITY);
  const floor = lanes * size + 4;
  const dots = points.map(({ row, value }) => {
    const x = Math.round(left + ((value - first.value) / range) * (width - 2 * left));
    const free = ends.findIndex((end) => x - end >= size);
    // if there are more equal figures than lanes, the lane with the least overlap is used
    const lane = free === -1 ? ends.indexOf(Math.min(...ends)) : free;
    ends[lane] = x;
    const y = floor - size / 2 - lane * size;
    const name = row.member.player?.number ?? row.member.name.slice(0, 2);
    return `<g><title>${escaped(row.member.name)}: ${cellText(column, value, row)}</title><circle cx="${x}" cy="${y}" r="${size / 2 - 0.5}"${whole.has(row) ? ' class="whole"' : ""}/><text x="${x}" y="${y + 3}">${escaped(name)}</text></g>`;
  });
  const ends2 = `<text x="0" y="${floor + 12}" style="text-anchor:start">${cellText(column, first.value)}</text><text x="${width}" y="${floor + 12}" style="text-anchor:end">${cellText(column, last.value)}</text>`;
  return `<svg viewBox="0 0 ${width} ${floor + 16}" role="img" aria-label="${escaped(column.title)} of all players"><path class="grid" d="M0 ${floor}H${width}"/>${dots.join("")}${ends2}</svg>`;
}
