import { escaped } from "../pictures/svg.js";
import type { SeasonDayLoad, SeasonPlayer, SquadColumn } from "../squad/index.js";
import { figureName, numberAndName } from "./season-names.js";

/** The loads of the players in a season report. */
export interface LoadsInReport {
  /** The figure that is the load of a session. */
  column: SquadColumn;
  /**
   * Returns the loads of a player for each day from the player's first session to the last session of the squad, in ascending order. Empty
   * without sessions.
   */
  daysOf(player: SeasonPlayer): readonly SeasonDayLoad[];
}

/** Number of days in a picture. */
const SHOWN_DAYS = 42;
const PICTURE = { dayPx: 5, height: 28 };

const HEADS = ["Load", "% of a match", "7 days", "28 days", "Week", "Monotony", "Strain"];

/** The reason why a day has no load. Sums over such a day would look like those of a light day. */
export const NO_LOAD_REASON =
  "a session lacks the figure or more than 10 % of its data, or is from before a change of the threshold or maximum heart rate";

/** The reason why the load of a day is a lower bound. */
export const PARTIAL_LOAD = "a lower bound, because 5 to 10 % of the data of a session are missing";

/**
 * Writes the load of each player on the last day of the season, with a picture of the days before it. Returns HTML; empty if no player has
 * a session.
 */
export function loadSection(players: readonly SeasonPlayer[], { column, daysOf }: LoadsInReport): string {
  const known = players.flatMap((player) => {
    const days = daysOf(player);
    const last = days.at(-1);
    return last === undefined ? [] : [{ player, last, days: days.slice(-SHOWN_DAYS) }];
  });
  const [any] = known;
  if (any === undefined) return "";
  const highest = Math.max(1, ...known.flatMap(({ days }) => days.map(({ load }) => load ?? 0)));
  const rows = known.map(({ player, last, days }) => {
    const cells = [
      dayCell(last),
      last.percent_of_match === null ? "–" : `${loadCell(last.percent_of_match, 0)} %`,
      loadCell(last.acute),
      loadCell(last.chronic),
      loadCell(last.week_sum),
      loadCell(last.monotony, 2),
      loadCell(last.strain),
    ];
    return `<tr><th scope="row">${escaped(numberAndName(player))}</th><td class="days">${picture(days, highest)}</td>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  return `<section class="loads"><h2>Load on ${any.last.day} <small>${escaped(figureName(column))}; bars: the last ${SHOWN_DAYS} days, line: weighted mean of 7 days</small></h2>
<div class="frame" tabindex="0"><table><thead><tr><th scope="col">Player</th><th scope="col" class="days">Days</th>${HEADS.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>
<p><small>A day without a recording of the player is a day of rest. The weighted means are unknown before a player’s 28th day. A day has no load if ${NO_LOAD_REASON}. ≥: ${PARTIAL_LOAD}.</small></p></section>`;
}

/**
 * Formats a load with the decimals to which the library rounds, because a second rounding would show a sum that differs from its only part.
 */
export const loadCell = (value: number | null, digits = 1): string =>
  value === null
    ? "–"
    : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Formats the load of a day: `≥8,410.0` if it is a lower bound. */
export const dayCell = ({ load, isAtLeast }: SeasonDayLoad): string =>
  `${isAtLeast ? "≥" : ""}${loadCell(load)}`;

/** Draws bars for the days and a line for the weighted mean of 7 days, on one scale for all players. Returns SVG. */
function picture(days: readonly SeasonDayLoad[], highest: number): string {
  const { dayPx, height } = PICTURE;
  const first = SHOWN_DAYS - days.length;
  const y = (load: number) => Math.round((1 - load / highest) * height * 10) / 10;
  const x = (i: number) => (first + i) * dayPx;
  const bars = days.flatMap(({ load }, i) =>
    load === null || load === 0 ? [] : [`M${x(i) + 2} ${height}V${y(load)}`],
  );
  const line = days.flatMap(({ acute }, i) => (acute === null ? [] : [`${x(i) + 2} ${y(acute)}`]));
  const mean = line.length < 2 ? "" : `<path class="mean" d="M${line.join("L")}"/>`;
  return `<svg viewBox="0 0 ${SHOWN_DAYS * dayPx} ${height}" aria-hidden="true"><path class="grid" d="M0 ${height}H${SHOWN_DAYS * dayPx}"/><path class="day" d="${bars.join("")}"/>${mean}</svg>`;
}
