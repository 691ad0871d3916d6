import { type Metrics, type NamedRecipe, recipeHash } from "../metrics/index.js";
import { figureOf, hasZones, SQUAD_COLUMNS, type SquadColumn, type SquadRow } from "../squad/index.js";
import { cautionsOf, isOptionalColumn } from "../squad/optional-columns.js";
import { recipeKey } from "../squad/recipe-columns.js";
import { type FileColumn, instantColumn, numberColumn, textColumn } from "./cell-files.js";

/** Maximum number of recipes whose counts fit in the printed tables of a report. */
export const MOST_RECIPES_ON_PAPER = 2;

/** A row of a file, for a player in a period or in the whole session. */
export interface SquadFileRow extends SquadRow {
  /** Start of the session, in local time. */
  session: string;
  /** See `tableNote`. */
  note?: string | null;
}

/** Returns null for a player without individual zones in a table with individual zones. */
const parametersOf = (metrics: Metrics | null) =>
  metrics !== null && hasZones(metrics.definition.parameters) ? metrics.definition.parameters : null;

/** Rounds a share for files. */
export const share = (value: number | null) => (value === null ? null : Math.round(value * 1000) / 1000);

const yesOrNo = (is: boolean) => (is ? "yes" : "no");

/** Rounds to the digits of the figures, because products have binary rounding errors. */
export const rounded = (value: number | null) =>
  value === null ? null : Math.round(value * 10_000) / 10_000;

/** Returns the name of a figure with its unit, for readers. */
export const figureTitle = ({ key, title, unit }: SquadColumn) =>
  unit === "" || key === "minutes" ? title : `${title}, ${unit}`;

/** Returns a column for each recipe that contains its hash. */
export const hashColumns = <R>(recipes: readonly NamedRecipe[]): FileColumn<R>[] =>
  recipes.map(({ name, recipe }) => {
    const hash = recipeHash(recipe);
    return textColumn(`${recipeKey(name)}_recipe`, `${name}: hash of the recipe`, () => hash);
  });

const CAUTIONED = [
  { of: "metabolic", key: "metabolic_caution", title: "Caution: metabolic power" },
  { of: "standardRuns", key: "standard_runs_caution", title: "Caution: standard runs" },
] as const;

/** Returns a column for each caution that these figures require. */
export const cautionColumns = <R>(figures: readonly SquadColumn[]): FileColumn<R>[] =>
  CAUTIONED.flatMap(({ of, key, title }) =>
    cautionsOf(figures.filter((figure) => isOptionalColumn(figure) && figure.of === of)).map((caution) =>
      textColumn<R>(key, title, () => caution),
    ),
  );

/** Describes a recipe by its name, hash and definition. */
export const recipeText = ({ name, title, recipe }: NamedRecipe): string =>
  `${name}: ${title}, recipe ${recipeHash(recipe)}.`;

/**
 * Returns the columns of files: player and period, the figures with their units, the thresholds in use, the quality, and the cautions of
 * the figures. Missing figures are empty, never 0.
 *
 * @param recipes the recipes whose counts are in `figures`; for each, a column contains the hash
 */
export const fileColumns = (
  figures: readonly SquadColumn[],
  recipes: readonly NamedRecipe[] = [],
): readonly FileColumn<SquadFileRow>[] => [
  textColumn("session", "Session", ({ session }) => session),
  textColumn("period", "Period", ({ period }) => period ?? "session"),
  textColumn("player", "Player", ({ member }) => member.name),
  textColumn("number", "Number", ({ member }) => member.player?.number ?? null),
  textColumn("position", "Position", ({ member }) => member.player?.position ?? null),
  textColumn("serial", "Serial number", ({ member }) =>
    member.recordings.map(({ serial }) => serial).join(" "),
  ),
  instantColumn("start", "Start", ({ metrics }) => metrics?.first_timestamp ?? null),
  instantColumn("end", "End", ({ metrics }) => metrics?.last_timestamp ?? null),
  ...figures.flatMap((figure) => [
    numberColumn(figure.key, figureTitle(figure), figure.decimals, (row: SquadRow) =>
      rounded(figureOf(row, figure)),
    ),
    ...(isOptionalColumn(figure) && figure.startMs !== undefined
      ? [instantColumn<SquadRow>(`${figure.key}_start`, `${figure.title}: start`, figure.startMs)]
      : []),
  ]),
  ...hashColumns(recipes),
  numberColumn(
    "high_speed_from_m_per_s",
    "High speed from, m/s",
    2,
    ({ metrics }) => parametersOf(metrics)?.hid_thresholds[1] ?? null,
  ),
  numberColumn(
    "sprint_from_m_per_s",
    "Sprint from, m/s",
    2,
    ({ metrics }) => parametersOf(metrics)?.sprint_threshold ?? null,
  ),
  numberColumn(
    "period_minutes",
    "Length of the period, min",
    1,
    ({ periodMs }) => Math.round(periodMs / 6) / 10_000,
  ),
  numberColumn("bench_minutes", "Bench time, min", 1, ({ benchMs }) => Math.round(benchMs / 6) / 10_000),
  numberColumn("share_with_data", "Share with data", 2, ({ coverage }) => share(coverage)),
  numberColumn("share_with_hr", "Share with heart rate", 2, ({ hrCoverage }) => share(hrCoverage)),
  numberColumn(
    "too_fast_rows",
    "Rows ignored as too fast",
    0,
    ({ metrics }) => metrics?.too_fast.samples ?? null,
  ),
  textColumn("damaged", "Damaged", ({ member }) =>
    yesOrNo(member.recordings.some(({ isDamaged }) => isDamaged)),
  ),
  textColumn("truncated", "Ends within a frame", ({ member }) =>
    yesOrNo(member.recordings.some(({ isTruncated }) => isTruncated)),
  ),
  textColumn("left_out", "Overlapping recordings omitted", ({ member }) =>
    member.leftOut.length === 0 ? null : member.leftOut.map(({ fileName }) => fileName).join(" "),
  ),
  ...cautionColumns<SquadFileRow>(figures),
];

/** The columns for all figures. */
export const FILE_COLUMNS = fileColumns(SQUAD_COLUMNS);
