import { KM_PER_H } from "../metrics/rounding.js";
import { count, decimalText, percentText } from "../pictures/figure-text.js";
import { escaped } from "../pictures/svg.js";
import {
  figureOf,
  type Ground,
  hasZones,
  type Interval,
  intervalsFor,
  isIncomplete,
  MAIN_COLUMNS,
  periodShareWithHr,
  type SessionPeriod,
  type SquadColumn,
  type SquadRow,
  wholeRows,
} from "../squad/index.js";
import { cellText, kmPerHText, marksInWords, unitText } from "./cells.js";
import { heatMapSvg } from "./heat-map.js";
import { meanText } from "./means.js";
import { positionOf } from "./positions.js";
import { speedPlot } from "./speed-plot.js";
import { speedColumns } from "./speed-strip.js";
import { headOf } from "./squad-tables.js";

/** Maximum number of sprints on a page. */
const MOST_SPRINTS = 60;
const PLOT_COLUMNS = 400;
/** Maximum number of periods in print. A page fits two heat maps, and the page after the squad fits two tables. */
const PERIODS_ON_PAPER = 2;

/** Data that all pages of players share. */
export interface PlayerPages {
  /** The rows of all players and periods. */
  rows: readonly SquadRow[];
  columns: readonly SquadColumn[];
  periods: readonly SessionPeriod[];
  session: Interval;
  ground: Ground | null;
  /** Maximum of the speed axes, km/h. */
  highestKmPerH: number;
  offsetMs: number;
}

/** Writes the page of a player: figures by period, speed, heat maps, time and distance by speed, sprints. */
export function playerPage(row: SquadRow, anchor: string, pages: PlayerPages): string {
  const { member, metrics } = row;
  const { player, name, recordings } = member;
  const title = `<h2>${escaped([player?.number, name].filter((part) => part != null).join(" "))} <small>${escaped([player?.position, recordings.map(({ serial }) => serial).join(", ")].filter((part) => part != null).join(" · "))}</small></h2>`;
  const parts = [title, quality(row, pages.offsetMs)];
  if (metrics === null) parts.push("<p>No data in this session.</p>");
  else {
    parts.push(
      cards(row, MAIN_COLUMNS),
      periodTable(row, pages),
      plot(row, pages),
      heatMaps(row, pages),
      hasZones(metrics.definition.parameters)
        ? `<div class="side by-speed">${bySpeed(row)}${sprints(row, pages.offsetMs)}</div>`
        : "<p>No figures by speed: the roster does not contain the speeds from which the limits of this player are computed.</p>",
    );
  }
  return `<section class="player-page" id="${anchor}">${parts.join("")}<p class="back"><a href="#squad">All players</a></p></section>`;
}

function quality(row: SquadRow, offsetMs: number): string {
  if (row.metrics === null) return "";
  const marks = marksInWords(row, offsetMs);
  const sentence = marks.length === 0 ? "The recording is complete and undamaged" : marks.join(", ");
  const differsForHr = periodShareWithHr(row) !== row.coverage;
  const text = `${sentence}.${missing("Figures", row.coverage)}${differsForHr ? missing("Heart-rate figures", periodShareWithHr(row)) : ""}`;
  return `<p class="quality">${escaped(text)}</p>`;
}

/** Says how much of the time is missing in figures that are lower bounds. */
const missing = (figures: string, share: number | null): string =>
  isIncomplete(share) ? ` ${figures} with ≥ miss ${Math.round((1 - share) * 100)} % of the time.` : "";

function cards(row: SquadRow, columns: readonly SquadColumn[]): string {
  const card = (column: SquadColumn) =>
    `<div><dt>${escaped(column.title)}</dt><dd>${cellText(column, figureOf(row, column), row)} <small>${escaped(column.unit)}</small></dd></div>`;
  return `<dl class="cards">${columns.map(card).join("")}</dl>`;
}

function periodTable(row: SquadRow, { rows, columns }: PlayerPages): string {
  const own = rows.filter(({ member }) => member === row.member);
  const position = positionOf(row);
  const line = (label: string, values: readonly string[], className = "") =>
    `<tr${className}><th scope="row">${escaped(label)}</th>${values.map((value) => `<td class="figure">${value}</td>`).join("")}</tr>`;
  const figures = (some: SquadRow) => columns.map((column) => cellText(column, figureOf(some, column), some));
  const all = rows.filter(({ period }) => period === null);
  const whole = wholeRows(all);
  const peers = all.filter((other) => position === "" || positionOf(other) === position);
  const wholePeers = peers.filter((peer) => whole.has(peer)).length;
  const head = columns.map(
    (column) =>
      `<th scope="col" class="figure">${headOf(column)}<small>${escaped(unitText(column, [row]))}</small></th>`,
  );
  return `<div class="frame" tabindex="0"><table class="periods"><thead><tr><th scope="col">Period</th>${head.join("")}</tr></thead><tbody>${[
    ...own.filter(({ period }) => period !== null).map((one) => line(one.period ?? "", figures(one))),
    line("Session", figures(row), ' class="mean"'),
    line(
      `Mean of ${position === "" ? count(wholePeers, "player") : `${wholePeers} ${position}`}`,
      columns.map((column) => meanText(peers, column, whole)),
    ),
  ].join("")}</tbody></table></div>`;
}

function plot(row: SquadRow, { session, periods, highestKmPerH, offsetMs }: PlayerPages): string {
  const { member, metrics } = row;
  const parameters = metrics?.definition.parameters;
  if (parameters === undefined) return "";
  const columns = speedColumns(member, session, PLOT_COLUMNS, parameters.max_valid_speed);
  const sprintKmPerH = hasZones(parameters) ? parameters.sprint_threshold * KM_PER_H : null;
  return `<h3>Speed <small>km/h, mean and highest${sprintKmPerH === null ? "" : "; dashed: sprint"}</small></h3>${speedPlot(
    columns,
    {
      span: session,
      periods: periods.flatMap((period) => intervalsFor(period, member.name)),
      sprintKmPerH,
      highestKmPerH,
      offsetMs,
      label: `Speed of ${escaped(member.name)}`,
    },
  )}`;
}

function heatMaps({ member }: SquadRow, { periods, session, ground }: PlayerPages): string {
  if (ground === null) return "";
  const longest = longestPeriods(periods);
  const chosen =
    periods.length === 0
      ? [{ name: "Session", intervals: [session] }]
      : periods
          .filter((period) => longest.has(period))
          .map((period) => ({ name: period.name, intervals: intervalsFor(period, member.name) }));
  const maps = chosen.flatMap(({ name, intervals }) => {
    const map = heatMapSvg(
      member,
      intervals,
      ground,
      `Where ${escaped(member.name)} was in ${escaped(name)}`,
    );
    return map === null ? [] : [`<figure><figcaption>${escaped(name)}</figcaption>${map}</figure>`];
  });
  return maps.length === 0 ? "" : `<div class="side">${maps.join("")}</div>`;
}

/** Returns the periods that fit on paper: for example the halves, without the warm-up. */
export function longestPeriods(periods: readonly SessionPeriod[]): Set<SessionPeriod> {
  const lengthOf = ({ all, own }: SessionPeriod) =>
    Math.max(
      0,
      ...[...(all === null ? [] : [all]), ...[...own.values()].flat()].map(
        ({ startMs, endMs }) => endMs - startMs,
      ),
    );
  return new Set(periods.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, PERIODS_ON_PAPER));
}

function bySpeed({ metrics }: SquadRow): string {
  if (metrics === null) return "";
  const { time_per_speed_ranges: times, distance_per_speed_ranges: distances } = metrics;
  const lines = times.map(({ duration, ratio, threshold_low, threshold_high }, i) => {
    const isLast = i === times.length - 1;
    const range = isLast
      ? `${kmPerHText(threshold_low)}+`
      : `${kmPerHText(threshold_low)}–${kmPerHText(threshold_high)}`;
    return `<tr><th scope="row">${range}</th><td class="figure">${clockText(duration)}</td><td class="figure">${percentText(ratio)}</td><td class="figure">${Math.round(distances[i]?.distance ?? 0).toLocaleString("en")}</td></tr>`;
  });
  return `<div><h3>By speed</h3><table class="periods"><thead><tr><th scope="col">km/h</th><th scope="col" class="figure">Time</th><th scope="col" class="figure">Share</th><th scope="col" class="figure">m</th></tr></thead><tbody>${lines.join("")}</tbody></table></div>`;
}

/** Formats minutes and seconds: `4:05`. */
function clockText(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function sprints({ metrics }: SquadRow, offsetMs: number): string {
  if (metrics === null) return "";
  const runs = metrics.sprint.threshold_1.values;
  const shown = runs.slice(0, MOST_SPRINTS);
  const more = runs.length > shown.length ? `, the first ${shown.length}` : "";
  const items = shown.map(({ start_time, distance, max_value }) => {
    const time = new Date(start_time + offsetMs).toISOString().slice(11, 19);
    return `<li>${time} <span>${Math.round(distance)} m</span> <span>${decimalText(max_value * KM_PER_H, 1)} km/h</span></li>`;
  });
  return `<div><h3>Sprints: ${runs.length}${more}</h3><ol class="sprints">${items.join("")}</ol></div>`;
}
