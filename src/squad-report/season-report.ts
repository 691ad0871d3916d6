import type { NamedRecipe } from "../metrics/index.js";
import { markupOf } from "../pictures/drawn-element.js";
import { count } from "../pictures/figure-text.js";
import { escaped } from "../pictures/svg.js";
import { NORMAL_RULE, type Season, SQUAD_COLUMNS, type SquadColumn } from "../squad/index.js";
import { notesOf } from "../squad/optional-columns.js";
import { recipeColumns } from "../squad/recipe-columns.js";
import { type LoadsInReport, loadSection } from "./load-section.js";
import { figureName, numberAndName } from "./season-names.js";
import { seasonNotes } from "./season-notes.js";
import {
  comparedIndex,
  comparisonOf,
  comparisonText,
  farthestFirst,
  type PanelFrame,
  panelTicks,
  seasonChart,
} from "./season-panel.js";
import { SEASON_SCRIPT, SEASON_STYLE } from "./season-style.js";
import { SEASON_HEADS, seasonCells } from "./season-table.js";
import { recipeText } from "./squad-columns.js";

/** The content of a season report. */
export interface SeasonReport {
  title: string;
  season: Season;
  /** The figure that is shown first. */
  figure: SquadColumn;
  /** Returns the UTC offset of local time at an instant, ms. */
  offsetAt(ms: number): number;
  /** The recipes whose counts the season contains. Default: none. */
  recipes?: readonly NamedRecipe[];
  /** Columns of optional figures that the season contains, such as peaks. Default: none. */
  further?: readonly SquadColumn[];
  /** The loads of the players. Default: none. */
  loads?: LoadsInReport | null;
}

/**
 * Writes a season as one self-contained HTML file: for each player, a panel with a figure over the last sessions and the range of the last
 * five matches, or a table. The compared session is the last match, otherwise the last session.
 */
export function seasonReport({
  title,
  season,
  figure,
  offsetAt,
  recipes = [],
  further = [],
  loads = null,
}: SeasonReport): string {
  const { sessions, players } = season;
  const now = comparedIndex(season);
  const day = (ms: number, options: Intl.DateTimeFormatOptions) =>
    new Date(ms + offsetAt(ms)).toLocaleDateString("en-GB", { ...options, timeZone: "UTC" });
  const dayText = (ms: number) => day(ms, { day: "numeric", month: "short" });
  const whole = (ms: number) =>
    day(ms, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
  const all = [...SQUAD_COLUMNS, ...recipeColumns(recipes), ...further];
  const columns = all.some(({ key }) => key === figure.key) ? all : [figure];
  const parts = columns.map((column) => {
    const frame: PanelFrame = { season, column, now, dayText };
    const isShown = column.key === figure.key;
    return `<div class="figure-part" id="${column.key}" data-name="${escaped(figureName(column))}"${isShown ? "" : " hidden"}>${panels(frame)}${table(frame)}</div>`;
  });
  const options = columns.map(
    (column) =>
      `<option value="${column.key}"${column.key === figure.key ? " selected" : ""}>${escaped(figureName(column))}</option>`,
  );
  const session = sessions[now];
  const subtitle = `${count(sessions.length, "session")}, ${dayText(sessions[0]?.startMs ?? 0)} to ${whole(sessions.at(-1)?.startMs ?? 0)}, ${count(players.length, "player")}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escaped(title)}</title><style>${SEASON_STYLE}</style></head><body>
<header><h1>${escaped(title)} <small>${escaped(subtitle)}</small></h1></header>
<main><p class="session"><b>${escaped(session === undefined ? "" : `${session.name}, ${whole(session.startMs)}`)}</b>, against the player’s own last ${NORMAL_RULE.matches} matches</p>
<p class="controls"><label>Figure <select id="figure">${options.join("")}</select></label>
<span class="views" role="group" aria-label="View"><button type="button" data-view="panels" aria-pressed="true">Pictures</button><button type="button" data-view="table" aria-pressed="false">Table</button></span>
<label>Order <select id="order"><option value="far">Farthest from normal first</option><option value="number">By number</option></select></label></p>
<p class="key"><span><i class="k-band"></i>mean of the last ${NORMAL_RULE.matches} matches ± ${NORMAL_RULE.deviations} standard deviations</span><span><i class="k-now"></i>this session, within the band or new</span><span><i class="k-out"></i>outside the band ▲▼</span><span><i class="k-match"></i>match</span><span><i class="k-training"></i>training</span><span>× no figure</span><span>≥ data are missing</span></p>
${parts.join("\n")}${loads === null ? "" : loadSection(players, loads)}</main>
<footer><p><small>Figures of a match are from its two halves, figures of other sessions from the whole session.${seasonNotes(
    season,
    columns,
    now,
  )
    .map((one) => ` ${escaped(one)}`)
    .join(
      "",
    )} The band includes previous matches with at least ${NORMAL_RULE.shortestMinutes} minutes of data, of the same sport, for sums only those with about the same playing time (up to 10 % less or more); a player with fewer than ${NORMAL_RULE.fewestMatches} of them is new, or new at these minutes. The band is at least ${NORMAL_RULE.deviations} × ${decimalPercent(NORMAL_RULE.smallestDeviation)} % of the mean on each side. A figure that lacks more than 5 % of the data (of a heart rate, more than 5 % of the heart rates) does not count in the band of later matches and is not marked as outside the band; ≥ marks its sums and maxima, which are marked above the band.${recipes.map((one) => ` ${escaped(recipeText(one))}`).join("")}${notesOf(
    further,
  )
    .map((one) => ` ${escaped(one)}`)
    .join("")}</small></p></footer>
<script>${SEASON_SCRIPT}</script></body></html>
`;
}

const decimalPercent = (share: number) => String(Math.round(share * 1000) / 10);

function panels(frame: PanelFrame): string {
  const ticks = panelTicks(frame);
  const sections = farthestFirst(frame).map((player) => {
    const place = frame.season.players.indexOf(player);
    const comparison = comparisonOf(player, frame);
    const heading = `<small>${escaped(player.number ?? "")}</small> ${escaped(player.name)} <b>${comparison.text}</b> <span>${comparisonText(comparison)}</span>`;
    return `<section data-number="${place}" class="panel${comparison.isOutside ? " outside" : ""}"><h2>${heading}</h2>${markupOf(seasonChart(player, frame, ticks))}</section>`;
  });
  return `<div class="panels">${sections.join("")}</div>`;
}

function table(frame: PanelFrame): string {
  const rows = farthestFirst(frame).map((player) => {
    const cells = seasonCells(player, frame).map((text) => `<td>${text}</td>`);
    return `<tr data-number="${frame.season.players.indexOf(player)}"><th scope="row">${escaped(numberAndName(player))}</th>${cells.join("")}</tr>`;
  });
  return `<div class="frame" tabindex="0" hidden><table><caption>${escaped(figureName(frame.column))}</caption><thead><tr><th scope="col">Player</th>${SEASON_HEADS.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}
