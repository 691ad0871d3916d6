import type { Metrics } from "../metrics/index.js";
import { recordedTimeMs } from "../metrics/recorded-time.js";
import { KM_PER_H } from "../metrics/rounding.js";
import { hasZones } from "./own-zones.js";
import type { MemberFigures, SquadRow } from "./squad-table.js";

/** A figure in the table of a squad. */
export interface SquadColumn {
  /** Name in options, files and APIs, with the unit. */
  key: string;
  /** Short name in the header of a table. */
  head: string;
  /** Long name, without the unit. */
  title: string;
  unit: string;
  /** Number of decimals in tables. Files have all digits. */
  decimals: number;
  /** A sum increases with the time played; a level, such as a maximum, does not. */
  kind: "sum" | "level";
  /** Returns null if the figure is unknown. */
  value(metrics: Metrics, figures: MemberFigures): number | null;
}

/** With fewer rows per second, accelerations are not computed (docs/metrics.md). Without this check, their number would be too low. */
const effortColumn = (key: "accelerations" | "decelerations", head: string, title: string): SquadColumn => ({
  key,
  head,
  title,
  unit: "",
  decimals: 0,
  kind: "sum",
  value: ({ [key]: efforts, has_accelerations }) =>
    has_accelerations ? efforts.threshold_1.values.length + efforts.threshold_2.values.length : null,
});

/** Returns null for a player without individual zones in a table with individual zones. */
const byZones =
  (value: SquadColumn["value"]): SquadColumn["value"] =>
  (metrics, figures) =>
    hasZones(metrics.definition.parameters) ? value(metrics, figures) : null;

/** All figures, in the order of tables. */
export const SQUAD_COLUMNS: readonly SquadColumn[] = [
  {
    key: "minutes",
    head: "Min",
    title: "Minutes",
    unit: "min",
    decimals: 0,
    kind: "sum",
    value: (metrics) => Math.round(recordedTimeMs(metrics) / 100) / 600,
  },
  {
    key: "distance_m",
    head: "Distance",
    title: "Distance",
    unit: "m",
    decimals: 0,
    kind: "sum",
    value: ({ total_distance }) => total_distance,
  },
  {
    key: "rate_m_per_min",
    head: "Rate",
    title: "Distance per minute",
    unit: "m/min",
    decimals: 0,
    kind: "level",
    value: (metrics) => {
      const ms = recordedTimeMs(metrics);
      return metrics.total_distance === null || ms === 0 ? null : (metrics.total_distance * 60_000) / ms;
    },
  },
  {
    key: "high_speed_m",
    head: "High sp.",
    title: "High-speed distance",
    unit: "m",
    decimals: 0,
    kind: "sum",
    value: byZones(({ hid_distance }) => hid_distance.threshold_2),
  },
  {
    key: "sprints",
    head: "Sprints",
    title: "Sprints",
    unit: "",
    decimals: 0,
    kind: "sum",
    value: byZones(({ sprint }) => sprint.threshold_1.values.length),
  },
  {
    key: "top_speed_km_per_h",
    head: "Top",
    title: "Top speed",
    unit: "km/h",
    decimals: 1,
    kind: "level",
    value: ({ max_speed }) => (max_speed === null ? null : max_speed * KM_PER_H),
  },
  effortColumn("accelerations", "Accel.", "Accelerations"),
  effortColumn("decelerations", "Decel.", "Decelerations"),
  {
    key: "hr_mean_bpm",
    head: "HR",
    title: "Mean heart rate",
    unit: "bpm",
    decimals: 0,
    kind: "level",
    value: ({ hr_avg }) => hr_avg,
  },
  {
    key: "hr_max_bpm",
    head: "HR max",
    title: "Highest heart rate",
    unit: "bpm",
    decimals: 0,
    kind: "level",
    value: ({ hr_max }) => hr_max,
  },
  {
    key: "trimp",
    head: "TRIMP",
    title: "Training impulse (Edwards)",
    unit: "",
    decimals: 0,
    kind: "sum",
    value: (_, { trimp }) => trimp,
  },
  {
    key: "sprint_m",
    head: "Sprint m",
    title: "Sprint distance",
    unit: "m",
    decimals: 0,
    kind: "sum",
    value: byZones(({ sprint_distance }) => sprint_distance),
  },
];

/** The figures of tables and pages if no others are selected. They fit on a terminal of 120 characters and on A4. */
export const MAIN_COLUMNS: readonly SquadColumn[] = /* @__PURE__ */ SQUAD_COLUMNS.filter(
  ({ key }) => !["hr_max_bpm", "trimp", "sprint_m"].includes(key),
);

/** Returns the value of a figure in a row; null if there are no data. */
export function figureOf(figures: MemberFigures, { value }: SquadColumn): number | null {
  return figures.metrics === null ? null : value(figures.metrics, figures);
}

/** A player who plays at least this share of the period, with data, is included in means *(choice)*. */
export const WHOLE_PERIOD_SHARE = 0.9;

/**
 * Returns the mean of a figure over the players who play nearly the whole period, and the highest value of all; null if there are no
 * values.
 *
 * @param whole the result of `wholeRows` for all rows of the period
 */
export function summaryOf(
  rows: readonly SquadRow[],
  column: SquadColumn,
  whole: ReadonlySet<SquadRow>,
): { mean: number | null; highest: number | null } {
  const figuresOf = (some: readonly SquadRow[]) =>
    some.map((row) => figureOf(row, column)).filter((value) => value !== null);
  const counted = figuresOf(rows.filter((row) => whole.has(row)));
  const all = figuresOf(rows);
  return {
    mean: counted.length === 0 ? null : counted.reduce((sum, value) => sum + value, 0) / counted.length,
    highest: all.length === 0 ? null : Math.max(...all),
  };
}

/** Returns the longest time of a player in a period, ms. */
export const longestMs = (rows: readonly SquadRow[]) => Math.max(...rows.map(({ periodMs }) => periodMs));

/**
 * Selects the rows of players who play nearly the whole period and have data. Excludes players who seem to be on the bench, even if the
 * periods count them as playing.
 *
 * @param rows all rows of one period
 */
export function wholeRows<R extends SquadRow>(rows: readonly R[]): Set<R> {
  const wholeMs = longestMs(rows);
  return new Set(
    rows.filter(
      ({ coverage, periodMs, benchRecordedMs }) =>
        coverage !== null && coverage * periodMs - benchRecordedMs >= WHOLE_PERIOD_SHARE * wholeMs,
    ),
  );
}

/** Sorts rows by a figure, in descending order unless `ascending` is set. Rows without a value are last; ties are sorted by number. */
export function sortRows<R extends SquadRow>(
  rows: readonly R[],
  column: SquadColumn,
  ascending: boolean,
): R[] {
  return [...rows].sort((a, b) => {
    const [x, y] = [figureOf(a, column), figureOf(b, column)];
    const byFigure =
      x === null || y === null ? Number(x === null) - Number(y === null) : ascending ? x - y : y - x;
    // without two numbers, the rows keep their order
    return byFigure || numberOf(a) - numberOf(b) || 0;
  });
}

const numberOf = ({ member }: SquadRow): number => Number(member.player?.number ?? Number.POSITIVE_INFINITY);
