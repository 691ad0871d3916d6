import { namesText } from "../../pictures/figure-text.js";
import {
  type Season,
  type SeasonDayLoad,
  type SeasonPlayer,
  type SquadColumn,
  seasonLoad,
} from "../../squad/index.js";
import { type FileColumn, numberColumn, textColumn } from "../../squad-report/cell-files.js";
import { dayCell, loadCell, NO_LOAD_REASON, PARTIAL_LOAD } from "../../squad-report/load-section.js";
import type { SeasonFileRow } from "./season-columns.js";

/** The loads of all players of a season. */
export interface SeasonLoads {
  column: SquadColumn;
  dayOf: (ms: number) => string;
  /** Loads by local calendar day, in ascending order. */
  of: ReadonlyMap<SeasonPlayer, ReadonlyMap<string, SeasonDayLoad>>;
}

/** @param instantText formats an instant in local time; the text begins with the day */
export function loadsOf(
  { players }: Season,
  column: SquadColumn,
  instantText: (ms: number) => string,
): SeasonLoads {
  const dayOf = (ms: number) => instantText(ms).slice(0, 10);
  const of = players.map(
    (player) => [player, new Map(seasonLoad(player, column, dayOf).map((one) => [one.day, one]))] as const,
  );
  return { column, dayOf, of: new Map(of) };
}

const FIGURES = [
  { key: "load", title: "Load of the day", decimals: 1 },
  { key: "acute", title: "Load, weighted mean of 7 days", decimals: 1 },
  { key: "chronic", title: "Load, weighted mean of 28 days", decimals: 1 },
  { key: "week_sum", title: "Load of the week", decimals: 1 },
  { key: "monotony", title: "Monotony of the week", decimals: 2 },
  { key: "strain", title: "Strain of the week", decimals: 1 },
  { key: "percent_of_match", title: "Load of the day, % of a match", decimals: 1 },
] as const;

/** Returns the columns of a file with the load of each session's day. */
export function loadColumns({ of, dayOf }: SeasonLoads): FileColumn<SeasonFileRow>[] {
  const loadOf = ({ player, entry }: SeasonFileRow) => of.get(player)?.get(dayOf(entry.session.startMs));
  return [
    ...FIGURES.map(({ key, title, decimals }) =>
      numberColumn<SeasonFileRow>(
        key === "load" ? "day_load" : `load_${key}`,
        title,
        decimals,
        (row) => loadOf(row)?.[key] ?? null,
      ),
    ),
    textColumn("day_load_reason", "Reason for no load, or for one that is too low", (row) =>
      row.entry.row === null
        ? null
        : (loadOf(row)?.load ?? null) === null
          ? NO_LOAD_REASON
          : loadOf(row)?.isAtLeast
            ? PARTIAL_LOAD
            : null,
    ),
  ];
}

/** Formats the load of a player on the last day of the season. */
export function loadText(player: SeasonPlayer, { column, of }: SeasonLoads): string {
  const days = [...(of.get(player)?.values() ?? [])];
  const last = days.at(-1);
  const noteOf = (some: readonly SeasonDayLoad[], text: string, reason: string) =>
    some.length === 0 ? "" : `. ${text} ${namesText(some.map(({ day }) => day))}: ${reason}`;
  const lost = days.filter(({ load }) => load === null);
  const partial = days.filter(({ isAtLeast }) => isAtLeast);
  const note = noteOf(lost, "No load on", NO_LOAD_REASON) + noteOf(partial, "Load of", PARTIAL_LOAD);
  const share = last?.percent_of_match == null ? "–" : `${Math.round(last.percent_of_match)} %`;
  const title = column.title.charAt(0).toLowerCase() + column.title.slice(1);
  const unit = column.unit === "" ? "" : `, ${column.unit}`;
  return `Load of ${title} on ${last?.day ?? "–"}${unit}: day ${last === undefined ? "–" : dayCell(last)} (${share} of a match), 7 days ${loadCell(last?.acute ?? null)}, 28 days ${loadCell(last?.chronic ?? null)}${last?.chronic === null ? " (unknown before the 28th day)" : ""}, week ${loadCell(last?.week_sum ?? null)}, monotony ${loadCell(last?.monotony ?? null, 2)}, strain ${loadCell(last?.strain ?? null)}${note}`;
}
