import { escaped } from "../pictures/svg.js";
import { roundTicks } from "../pictures/ticks.js";
import {
  type Normal,
  normalBefore,
  type Season,
  type SeasonEntry,
  type SeasonPlayer,
  type SquadColumn,
  seasonFigure,
  shareOfMatches,
} from "../squad/index.js";
import { cellText } from "./cells.js";

/** Number of sessions in a panel. */
const SHOWN_SESSIONS = 14;
const SIZE = { width: 250, height: 104, left: 30, right: 10, top: 8, bottom: 26 };

/** Data shared by all panels of a figure. */
export interface PanelFrame {
  season: Season;
  column: SquadColumn;
  /** Index of the session that is compared with earlier ones. */
  now: number;
  /** `16 May` */
  dayText(ms: number): string;
}

/** Comparison of a player's figure with earlier matches. */
export interface Comparison {
  value: number | null;
  normal: Normal | null;
  /** Ratio to the mean of the earlier matches; null if there is nothing to compare. */
  share: number | null;
  isOutside: boolean;
}

export function comparisonOf(player: SeasonPlayer, { column, now }: PanelFrame): Comparison {
  const entry = player.entries[now];
  const value = entry === undefined ? null : seasonFigure(entry, column);
  const normal = normalBefore(player, now, column);
  return {
    value,
    normal,
    share: normal === null ? null : shareOfMatches(player, now, column),
    isOutside: normal !== null && value !== null && (value < normal.low || value > normal.high),
  };
}

/** `▲ +15 %`, `−4 %`, `new`, `did not play`. */
export function comparisonText({ value, normal, share, isOutside }: Comparison): string {
  if (value === null) return "did not play";
  if (normal === null || share === null) return "new";
  const percent = Math.round((share - 1) * 100);
  const sign = percent > 0 ? "+" : percent < 0 ? "−" : "±";
  return `${isOutside ? (share > 1 ? "▲ " : "▼ ") : ""}${sign}${Math.abs(percent)} %`;
}

/** The axis of a figure, shared by all players: sums and rates from 0, other levels from the lowest value. */
export function panelTicks(frame: PanelFrame): number[] {
  const { season, column } = frame;
  const values = season.players.flatMap((player) => [
    ...shownEntries(player, frame).flatMap((entry) => seasonFigure(entry, column) ?? []),
    ...bandOf(normalBefore(player, frame.now, column)),
  ]);
  if (values.length === 0) return [0, 1];
  const isFromZero = column.kind === "sum" || column.key === "rate_m_per_min";
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return roundTicks(isFromZero ? 0 : least, most > least || isFromZero ? Math.max(most, 1e-9) : least + 1, 3);
}

const bandOf = (normal: Normal | null) => (normal === null ? [] : [Math.max(0, normal.low), normal.high]);

function shownEntries({ entries }: SeasonPlayer, { now }: PanelFrame): readonly SeasonEntry[] {
  return entries.slice(Math.max(0, now + 1 - SHOWN_SESSIONS), now + 1);
}

/** A player's figure over the last sessions, with the normal range. */
export function seasonPanel(player: SeasonPlayer, frame: PanelFrame, ticks: readonly number[]): string {
  const { column, dayText } = frame;
  const comparison = comparisonOf(player, frame);
  const { value, normal, isOutside } = comparison;
  const { width, height, left, right, top, bottom } = SIZE;
  const entries = shownEntries(player, frame);
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const x = (i: number) =>
    tenth(left + 8 + (i / Math.max(1, entries.length - 1)) * (width - left - right - 12));
  const y = (figure: number) =>
    tenth(top + (1 - (Math.max(figure, low) - low) / (high - low)) * (height - top - bottom));
  const grid = ticks.map(
    (tick) =>
      `<path class="grid" d="M${left} ${y(tick)}H${width - right}"/><text x="${left - 4}" y="${y(tick) + 3}" text-anchor="end">${tickText(tick)}</text>`,
  );
  const band =
    normal === null
      ? ""
      : `<rect class="band" x="${left}" y="${y(normal.high)}" width="${width - left - right}" height="${tenth(y(normal.low) - y(normal.high))}"/><path class="mean" d="M${left} ${y(normal.mean)}H${width - right}"/>`;
  const matches = entries.flatMap((entry, i) => {
    const figure = seasonFigure(entry, column);
    return entry.session.isMatch && figure !== null ? [`${x(i)} ${y(figure)}`] : [];
  });
  const line = matches.length < 2 ? "" : `<path class="line" d="M${matches.join("L")}"/>`;
  const dots = entries.map((entry, i) => {
    const figure = seasonFigure(entry, column);
    const title = `<title>${escaped(`${entry.session.name}, ${dayText(entry.session.startMs)}: ${figure === null ? "no figure" : cellText(column, figure, false)}`)}</title>`;
    if (figure === null)
      return `<path class="none" d="M${x(i) - 3} ${height - bottom - 3}l6 6m0-6l-6 6">${title}</path>`;
    const isNow = i === entries.length - 1;
    const className = isNow ? (isOutside ? "now out" : "now") : entry.session.isMatch ? "match" : "training";
    return `<circle class="${className}" cx="${x(i)}" cy="${y(figure)}" r="${isNow ? 4.5 : entry.session.isMatch ? 2.6 : 2}">${title}</circle>`;
  });
  const ends = [entries[0], entries.at(-1)].map((entry) => dayText(entry?.session.startMs ?? 0));
  const text = comparisonText(comparison);
  return `<section class="panel${isOutside ? " outside" : ""}"><h2><small>${escaped(player.number ?? "")}</small> ${escaped(player.name)} <b>${cellText(column, value, false)}</b> <span>${text}</span></h2><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${player.name}: ${cellText(column, value, false)} ${column.unit}, ${text}`)}">${band}${grid.join("")}${line}${dots.join("")}<text x="${left}" y="${height - 4}">${ends[0]}</text><text x="${width - right}" y="${height - 4}" text-anchor="end">${ends[1]}</text></svg></section>`;
}

const tenth = (value: number) => Math.round(value * 10) / 10;

const tickText = (tick: number) => tick.toLocaleString("en", { maximumFractionDigits: 1 });
