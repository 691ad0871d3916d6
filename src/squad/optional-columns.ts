import {
  HIGH_POWER_W_PER_KG,
  METABOLIC_CAUTION,
  metabolicSummary,
  STANDARD_RUNS_CAUTION,
} from "../metrics/index.js";
import type { SquadColumn } from "./columns.js";
import type { MemberEstimates } from "./member-estimates.js";
import { OPTIONAL_FIGURES, type OptionalFigure } from "./optional-figures.js";
import { PEAKS_TEXT, peakColumns, shownPeakColumns } from "./peak-columns.js";
import type { MemberFigures } from "./squad-table.js";

/** A column for an optional figure. */
export interface OptionalColumn extends SquadColumn {
  of: OptionalFigure;
  /** The sentence that explains the figure in tables and reports: its definition, or a caution with its source. */
  note: string;
  /** Returns the start of the passage or run, ms since 1970 UTC; null if there is none. Absent for other figures. */
  startMs?(figures: MemberFigures): number | null;
}

type Metabolic = NonNullable<MemberEstimates["metabolic"]>;

/** Returns the columns of `metabolicEstimate`. */
const metabolicColumns = (): OptionalColumn[] => {
  const column = (
    [key, head, title, unit]: readonly [string, string, string, string],
    decimals: number,
    of: (estimate: Metabolic) => number | null,
  ): OptionalColumn => ({
    ...{ key, head, title: `${title}, estimated from speed`, unit, decimals },
    kind: unit === "W/kg" ? "level" : "sum",
    of: "metabolic",
    note: METABOLIC_CAUTION,
    value: (_, { metabolic }) => (metabolic === undefined ? null : of(metabolic)),
  });
  return [
    column(["metabolic_energy_kj_per_kg", "Energy", "Energy", "kJ/kg"], 1, ({ energy }) => energy),
    column(
      ["metabolic_power_w_per_kg", "Power", "Mean metabolic power", "W/kg"],
      1,
      (estimate) => metabolicSummary(estimate).mean_power,
    ),
    column(
      ["equivalent_distance_m", "Equiv.", "Equivalent distance", "m"],
      0,
      ({ equivalent_distance }) => equivalent_distance,
    ),
    column(
      [
        "high_power_m",
        `≥${HIGH_POWER_W_PER_KG} W/kg`,
        `Distance at ${HIGH_POWER_W_PER_KG} W/kg or more`,
        "m",
      ],
      0,
      (estimate) => metabolicSummary(estimate).high_power_distance,
    ),
  ];
};

/** Returns the longest run; the first one if several are equal. */
function longestRun({ standardRuns: runs = [] }: MemberEstimates) {
  return runs.reduce((longest, run) => (run.duration > (longest?.duration ?? 0) ? run : longest), runs[0]);
}

/** Returns the columns of `standardRuns`: the number of runs, and the speed and heart rate of the longest run. */
const standardRunColumns = (): OptionalColumn[] => {
  const common = { of: "standardRuns", note: STANDARD_RUNS_CAUTION } as const;
  return [
    {
      ...common,
      key: "standard_runs",
      head: "Std. runs",
      title: "Standard runs (experimental)",
      unit: "",
      decimals: 0,
      kind: "sum",
      value: (_, { standardRuns: runs }) => runs?.length ?? null,
    },
    {
      ...common,
      key: "standard_run_speed_m_per_s",
      head: "Run speed",
      title: "Longest standard run (experimental): mean speed",
      unit: "m/s",
      decimals: 2,
      kind: "level",
      value: (_, figures) => longestRun(figures)?.mean_speed ?? null,
      startMs: (figures) => longestRun(figures)?.start_time ?? null,
    },
    {
      ...common,
      key: "standard_run_heart_rate_bpm",
      head: "Run HR",
      title: "Longest standard run (experimental): heart rate at its end",
      unit: "bpm",
      decimals: 0,
      kind: "level",
      value: (_, figures) => longestRun(figures)?.heart_rate ?? null,
    },
  ];
};

const OTHER_PEAKS_TEXT =
  "Peak: the highest value in any window of this length, of which at least 90 % is recorded.";

const inOrder = (figures: readonly OptionalFigure[]) =>
  OPTIONAL_FIGURES.filter((one) => figures.includes(one));

const allOf: Record<OptionalFigure, () => OptionalColumn[]> = {
  peaks: () => asOptional(peakColumns()),
  metabolic: metabolicColumns,
  standardRuns: standardRunColumns,
};

const asOptional = (columns: readonly SquadColumn[]): OptionalColumn[] =>
  columns.map((column) => ({
    ...column,
    of: "peaks",
    note: column.key.endsWith("_distance_m") ? PEAKS_TEXT : OTHER_PEAKS_TEXT,
  }));

/** Returns all columns of these figures. */
export const optionalColumns = (figures: readonly OptionalFigure[]): OptionalColumn[] =>
  inOrder(figures).flatMap((one) => allOf[one]());

/** Returns the columns that tables and reports show if no columns are named. */
export const shownOptionalColumns = (figures: readonly OptionalFigure[]): OptionalColumn[] =>
  inOrder(figures).flatMap((one) => (one === "peaks" ? asOptional(shownPeakColumns()) : allOf[one]()));

export const isOptionalColumn = (column: SquadColumn): column is OptionalColumn => "note" in column;

/** Returns the notes of the columns without duplicates. */
export const notesOf = (columns: readonly SquadColumn[]): string[] => [
  ...new Set(columns.filter(isOptionalColumn).map(({ note }) => note)),
];

/** Returns the notes that caution the reader. Every output with these columns contains them. */
export const cautionsOf = (columns: readonly SquadColumn[]): string[] =>
  notesOf(columns.filter((column) => isOptionalColumn(column) && column.of !== "peaks"));
