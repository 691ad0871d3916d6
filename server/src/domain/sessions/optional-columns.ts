import { HIGH_POWER_W_PER_KG, METABOLIC_CAUTION, STANDARD_RUNS_CAUTION } from "asi-convert/metrics";
import type { Cell, FileColumn } from "asi-convert/squad-report";
import type { OptionalPlayerFigures, PlayerFigures } from "../change/compute-pool.js";
import { OPTIONAL_DEFINITIONS } from "../computed-data/optional-figures.js";

/** The parameters that add optional figures to a table. */
export interface WantedColumns {
  with_profile?: boolean | undefined;
  with_metabolic_power?: boolean | undefined;
  with_standard_runs?: boolean | undefined;
}

/** An optional figure, with the name that `asi squad` gives it. */
export interface OptionalColumn {
  key: string;
  title: string;
  unit: string;
  /** Number of decimals in a workbook. */
  decimals: number;
  /** The parameter that requests it. */
  of: keyof WantedColumns;
  value(figures: OptionalPlayerFigures): number | null;
}

const OF_SAMPLES = "profile of these samples";
const ESTIMATED = "estimated from speed";

/** All of these figures in the order of tables. */
export const OPTIONAL_COLUMNS: readonly OptionalColumn[] = [
  {
    key: "session_max_speed_m_per_s",
    title: "Maximum speed held for 0.5 s",
    unit: "m/s",
    decimals: 3,
    of: "with_profile",
    value: ({ maxSpeed }) => maxSpeed,
  },
  {
    key: "profile_a0_m_per_s2",
    title: `A0, ${OF_SAMPLES}`,
    unit: "m/s2",
    decimals: 2,
    of: "with_profile",
    value: ({ profile }) => profile?.a0 ?? null,
  },
  {
    key: "profile_s0_m_per_s",
    title: `S0, ${OF_SAMPLES}`,
    unit: "m/s",
    decimals: 2,
    of: "with_profile",
    value: ({ profile }) => profile?.s0 ?? null,
  },
  {
    key: "metabolic_energy_kj_per_kg",
    title: `Energy, ${ESTIMATED}`,
    unit: "kJ/kg",
    decimals: 1,
    of: "with_metabolic_power",
    value: ({ metabolic }) => metabolic.energy,
  },
  {
    key: "metabolic_power_w_per_kg",
    title: `Mean metabolic power, ${ESTIMATED}`,
    unit: "W/kg",
    decimals: 1,
    of: "with_metabolic_power",
    value: ({ metabolic }) => metabolic.mean_power,
  },
  {
    key: "high_power_m",
    title: `Distance at ${HIGH_POWER_W_PER_KG} W/kg or more, ${ESTIMATED}`,
    unit: "m",
    decimals: 0,
    of: "with_metabolic_power",
    value: ({ metabolic }) => metabolic.high_power_distance,
  },
  {
    key: "standard_runs",
    title: "Standard runs (experimental)",
    unit: "",
    decimals: 0,
    of: "with_standard_runs",
    value: ({ standardRuns }) => standardRuns,
  },
];

/** Returns the columns of the selected optional figures. */
const columnsWanted = (wanted: WantedColumns): OptionalColumn[] =>
  OPTIONAL_COLUMNS.filter(({ of }) => wanted[of] === true);

/** Returns the requested parameters, in a fixed order. */
export const namesWanted = (wanted: WantedColumns): string[] => [
  ...new Set(columnsWanted(wanted).map(({ of }) => of)),
];

/** Returns the values of the selected optional figures, with all digits. */
export const figuresWanted = ({ further }: PlayerFigures, wanted: WantedColumns) =>
  Object.fromEntries(
    columnsWanted(wanted).map(({ key, value }) => [key, further === null ? null : value(further)]),
  );

/** Returns the cells of the columns below. */
export const cellsWanted = (found: PlayerFigures, wanted: WantedColumns): Record<string, Cell> => ({
  ...figuresWanted(found, wanted),
  profile_reason: found.further?.profileReason ?? null,
  metabolic_caution: METABOLIC_CAUTION,
  standard_runs_caution: STANDARD_RUNS_CAUTION,
});

type CellColumn = Omit<FileColumn<never>, "cell">;

/** Returns the numeric columns in files, which follow the other figures. */
export const numberColumnsWanted = (wanted: WantedColumns): CellColumn[] =>
  columnsWanted(wanted).map(({ key, title, unit, decimals }) => ({
    key,
    title: unit === "" ? title : `${title}, ${unit}`,
    kind: "number",
    decimals,
  }));

/** Returns the text columns in files, which are the last columns: the reason for no profile, and the cautions. */
export function textColumnsWanted(wanted: WantedColumns): CellColumn[] {
  const { with_profile, with_metabolic_power, with_standard_runs } = wanted;
  const text = (key: string, title: string): CellColumn => ({ key, title, kind: "text", decimals: 0 });
  return [
    ...(with_profile ? [text("profile_reason", "Reason for no profile")] : []),
    ...(with_metabolic_power ? [text("metabolic_caution", "Caution: metabolic power")] : []),
    ...(with_standard_runs ? [text("standard_runs_caution", "Caution: standard runs")] : []),
  ];
}

/** Returns the sentences that accompany the selected optional figures, each with its source. */
export const cautionsWanted = ({ with_metabolic_power, with_standard_runs }: WantedColumns) => ({
  ...(with_metabolic_power && { metabolic: METABOLIC_CAUTION }),
  ...(with_standard_runs && { standard_runs: STANDARD_RUNS_CAUTION }),
});

/** Returns the rules of the selected optional figures, which also use the parameters of the table. */
export function definitionsWanted(wanted: WantedColumns) {
  const { acceleration_speed, metabolic, standard_runs } = OPTIONAL_DEFINITIONS;
  const { days: _, ...profile } = acceleration_speed;
  return {
    ...(wanted.with_profile && { acceleration_speed: profile }),
    ...(wanted.with_metabolic_power && { metabolic }),
    ...(wanted.with_standard_runs && { standard_runs }),
  };
}
