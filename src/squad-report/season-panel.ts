import { type DrawnElement, drawn } from "../pictures/drawn-element.js";
import { roundTicks } from "../pictures/ticks.js";
import {
  type Normal,
  normalBefore,
  type Season,
  type SeasonEntry,
  type SeasonPlayer,
  type SquadColumn,
  seasonFigure,
} from "../squad/index.js";
import {
  comparedAt,
  coversHalves,
  isComparable,
  isPartial,
  isShort,
  matchFigure,
  newnessOf,
} from "../squad/season-comparison.js";
import { absenceOf, entryText, limitsText, markOf } from "./season-entry.js";

/** Number of sessions in a panel. */
const SHOWN_SESSIONS = 14;
/** Edges of the plot in a panel of 250 × 104 pixels. */
const EDGES = { left: 30, right: 240, top: 8, bottom: 78 };

/**
 * Returns the index of the session that is compared with earlier ones: the last match, otherwise the last session. A match without known
 * halves is not compared; one without figures may still be computed.
 */
export function comparedIndex({ sessions, players }: Season): number {
  const lastMatch = sessions.findLastIndex(
    ({ isMatch }, index) =>
      isMatch && !players.some(({ entries }) => entries[index]?.row?.covers === "session"),
  );
  return lastMatch < 0 ? sessions.length - 1 : lastMatch;
}

/** Data that all panels of a figure share. */
export interface PanelFrame {
  season: Season;
  column: SquadColumn;
  /** Index of the session that is compared with earlier ones. */
  now: number;
  /** Formats a day: `16 May`. */
  dayText(ms: number): string;
  /** Returns whether the figures of a player in the session with this index are not computed. Default: all are computed. */
  isNotComputed?(player: SeasonPlayer, index: number): boolean;
}

/** A player's figure compared with earlier matches. */
export interface Comparison {
  value: number | null;
  /** The figure as text; `–` if there is none. */
  text: string;
  /** `≥` if the figure is a lower bound. */
  mark: "≥" | "";
  /** Whether a part of the data is missing. The figure is then outside the normal range only if it is a lower bound above it. */
  isIncomplete: boolean;
  normal: Normal | null;
  /** Ratio to the mean of the earlier matches; null if there are none. */
  share: number | null;
  isOutside: boolean;
  /** The reason why there is no comparison; null if there is one. */
  reason: string | null;
}

export function comparisonOf(player: SeasonPlayer, frame: PanelFrame): Comparison {
  const { column, now } = frame;
  const entry = player.entries[now];
  const value = entry === undefined ? null : seasonFigure(entry, column);
  const normal = normalBefore(player, now, column);
  const isIncomplete = isPartial(entry, column);
  const mark = markOf(entry, column);
  const side = normal === null || value === null ? 0 : value > normal.high ? 1 : value < normal.low ? -1 : 0;
  return {
    value,
    text: entryText(entry, column),
    mark,
    isIncomplete,
    normal,
    share: value === null || !normal?.mean ? null : value / normal.mean,
    // the range is of matches; a training session is shorter or longer
    isOutside: coversHalves(entry) && (isIncomplete ? side > 0 && mark !== "" : side !== 0),
    reason:
      value === null
        ? absenceIn(player, now, frame)
        : !isComparable(entry)
          ? entry && isShort(entry)
            ? "under 10 minutes"
            : "not compared"
          : normal === null
            ? newnessOf(player, now, column)
            : null,
  };
}

/** Returns the reason why a player has no figure in a session. */
const absenceIn = (player: SeasonPlayer, index: number, { isNotComputed }: PanelFrame): string =>
  isNotComputed?.(player, index) ? "not computed" : absenceOf(player.entries[index]);

/** Formats a comparison: `▲ +15 %`, `−4 %`, `≥−40 %` if a part of the data is missing, `new`, `new at 62 min`, `not compared`, `under 10 minutes`, `did not play`. */
export function comparisonText(comparison: Comparison): string {
  const { value, share, isOutside, mark, reason } = comparison;
  if (reason !== null) return reason;
  if (share === null) return value === 0 ? "±0 %" : `${isOutside ? "▲ " : ""}from 0`;
  const percent = Math.round((share - 1) * 100);
  const sign = percent > 0 ? "+" : percent < 0 ? "−" : "±";
  return `${isOutside ? (share > 1 ? "▲ " : "▼ ") : ""}${mark}${sign}${Math.abs(percent)} %`;
}

/**
 * Sorts players by the difference between the figure and its mean in their earlier matches, the largest difference first. If missing data may explain a
 * difference, it counts as none. New players follow, then those without a figure.
 */
export function farthestFirst(frame: PanelFrame): SeasonPlayer[] {
  const distanceOf = ({ value, share, isOutside, isIncomplete }: Comparison): number => {
    if (share === null) return value === null ? -2 : -1;
    return isIncomplete && !isOutside ? 0 : Math.abs(share - 1);
  };
  const far = new Map(
    frame.season.players.map((player) => [player, distanceOf(comparisonOf(player, frame))] as const),
  );
  return [...frame.season.players].sort((a, b) => (far.get(b) ?? 0) - (far.get(a) ?? 0));
}

/** Returns the axis of a figure, which all players share. Sums and rates start at 0, other levels at the lowest value. */
export function panelTicks(frame: PanelFrame): number[] {
  const { season, column } = frame;
  const values = season.players.flatMap((player) => [
    ...shownEntries(player, frame).flatMap((entry) => seasonFigure(entry, column) ?? []),
    ...bandOf(normalBefore(player, frame.now, column)),
  ]);
  if (values.length === 0) return [0, 1];
  const isFromZero = column.kind === "sum" || column.key === "rate_m_per_min";
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return roundTicks(isFromZero ? 0 : least, most > least || isFromZero ? most || 1 : least + 1, 3);
}

const bandOf = (normal: Normal | null) => (normal === null ? [] : [Math.max(0, normal.low), normal.high]);

/** Returns the last sessions of the sport of the compared one. Those of other sports would hide its differences. */
function shownEntries({ entries }: SeasonPlayer, { now }: PanelFrame): readonly SeasonEntry[] {
  const sport = entries[now]?.session.sport;
  return entries
    .slice(0, now + 1)
    .filter(({ session }) => session.sport === sport)
    .slice(-SHOWN_SESSIONS);
}

/** Draws the chart of a panel: a player's figure over the last sessions, with the normal range. */
export function seasonChart(player: SeasonPlayer, frame: PanelFrame, ticks: readonly number[]): DrawnElement {
  const { column, dayText } = frame;
  const comparison = comparisonOf(player, frame);
  const { normal, isOutside } = comparison;
  const { left, right, top, bottom } = EDGES;
  const entries = shownEntries(player, frame);
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const x = (i: number) => tenth(left + 8 + (i / Math.max(1, entries.length - 1)) * (right - left - 12));
  const y = (figure: number) =>
    tenth(top + (1 - (Math.max(figure, low) - low) / (high - low)) * (bottom - top));
  const across = (name: string, figure: number) =>
    drawn("path", { class: name, d: `M${left} ${y(figure)}H${right}` });
  const text = (at: DrawnElement["attributes"], content: string) => drawn("text", at, content);
  const ending = { "text-anchor": "end" };
  const grid = ticks.flatMap((tick) => [
    across("grid", tick),
    text({ x: left - 4, y: y(tick) + 3, ...ending }, tickText(tick)),
  ]);
  const band: DrawnElement[] = [];
  if (normal !== null) {
    const place = { x: left, y: y(normal.high), width: right - left };
    const height = tenth(y(normal.low) - place.y);
    band.push(drawn("rect", { class: "band", ...place, height }), across("mean", normal.mean));
  }
  const compared = comparedAt(player.entries, frame.now);
  const matches = entries.flatMap((entry, i) => {
    const figure = matchFigure(entry, column, compared);
    return figure === null ? [] : [`${x(i)} ${y(figure)}`];
  });
  const line = matches.length < 2 ? [] : [drawn("path", { class: "line", d: `M${matches.join("L")}` })];
  const marks = entries.map((entry, i) => {
    const figure = seasonFigure(entry, column);
    const text =
      figure === null
        ? absenceIn(player, player.entries.indexOf(entry), frame)
        : `${entryText(entry, column)}${limitsText(entry, column)}`;
    const title = drawn("title", {}, `${entry.session.name}, ${dayText(entry.session.startMs)}: ${text}`);
    if (figure === null)
      return drawn("path", { class: "none", d: `M${x(i) - 3} ${bottom - 3}l6 6m0-6l-6 6` }, title);
    const isNow = i === entries.length - 1;
    const isMatch = coversHalves(entry);
    const className = isNow ? (isOutside ? "now out" : "now") : isMatch ? "match" : "training";
    const r = isNow ? 4.5 : isMatch ? 2.6 : 2;
    return drawn("circle", { class: className, cx: x(i), cy: y(figure), r }, title);
  });
  const dayOf = (entry: SeasonEntry | undefined) => dayText(entry?.session.startMs ?? 0);
  const label = `${player.name}: ${comparison.text} ${column.unit}, ${comparisonText(comparison)}`;
  return drawn(
    "svg",
    { viewBox: "0 0 250 104", role: "img", "aria-label": label },
    ...[...band, ...grid, ...line, ...marks],
    text({ x: left, y: 100 }, dayOf(entries[0])),
    text({ x: right, y: 100, ...ending }, dayOf(entries.at(-1))),
  );
}

const tenth = (value: number) => Math.round(value * 10) / 10;

const tickText = (tick: number) => tick.toLocaleString("en", { maximumFractionDigits: 1 });
