import {
  metricParameters,
  type NamedRecipe,
  type ParameterOverrides,
  type PresetName,
} from "../../metrics/index.js";
import {
  highSpeedThresholds,
  MAIN_COLUMNS,
  SQUAD_COLUMNS,
  type SquadColumn,
  type ZoneKind,
} from "../../squad/index.js";
import {
  cautionsOf,
  type OptionalColumn,
  optionalColumns,
  shownOptionalColumns,
} from "../../squad/optional-columns.js";
import type { OptionalFigure } from "../../squad/optional-figures.js";
import { commonKey, recipeColumns } from "../../squad/recipe-columns.js";
import { unreachableText } from "../../squad/unreachable-threshold.js";
import { MOST_RECIPES_ON_PAPER } from "../../squad-report/squad-columns.js";
import type { HrSource } from "../../types.js";
import type { SpeedZones } from "../arguments/speed-zones.js";
import { isStandardOutput, refuseOnTerminal } from "../batch/output.js";
import { refuseWithoutEffect, UsageError } from "../terminal/usage-error.js";
import { recipesOf } from "./recipe-input.js";

export const SQUAD_FORMATS = ["text", "csv", "jsonl", "parquet", "xlsx", "html"] as const;
export type SquadFormat = (typeof SQUAD_FORMATS)[number];

/** The value of --periods for suggested periods instead of a file. */
export const SUGGESTED = "suggested";

/** Options that set thresholds and zones. */
export interface ThresholdFlags {
  sport?: PresetName;
  zones?: SpeedZones;
  highSpeed?: number;
  sprint?: number;
}

export interface SquadFlags extends ThresholdFlags {
  individualZones?: ZoneKind;
  roster?: string;
  periods?: string;
  tz?: string;
  sort?: string;
  columns?: string[];
  recipe?: string[];
  peaks?: boolean;
  metabolicPower?: boolean;
  standardRuns?: boolean;
  profile?: boolean;
  by?: "position" | "player";
  matches?: string;
  load?: "distance" | "high-speed" | "trimp";
  cache?: boolean;
  jobs?: number;
  format?: SquadFormat;
  decimal?: string;
  output?: string;
  force?: boolean;
  hr?: HrSource;
}

/** The columns that are shown, and the order of the rows. */
export interface SquadOrder {
  columns: readonly SquadColumn[];
  /** The selected columns, or all columns if none are selected. */
  fileColumns: readonly SquadColumn[];
  sort: SquadColumn;
  isAscending: boolean;
  /** Recipes that add columns. */
  recipes: readonly NamedRecipe[];
  /** Optional figures that add columns, those in the report, and the cautions that belong to them. */
  optionalFigures: readonly OptionalFigure[];
  reportColumns: readonly OptionalColumn[];
  cautions: readonly string[];
}

/** The figures that are shown beside recipes or optional figures if no columns are named. */
const BESIDE_OTHERS = ["minutes", "distance_m", "rate_m_per_min"];

/**
 * Validates columns, recipes and order.
 * @throws UsageError for a column that does not exist, and for recipes with the same name; the errors of `recipesOf`
 */
export function orderOf({
  columns = [],
  sort = "distance_m",
  recipe: names = [],
  ...flags
}: SquadFlags): SquadOrder {
  const recipes = names.flatMap(recipesOf);
  refuseEqualNames(recipes);
  const ofRecipes = recipeColumns(recipes);
  const optionalFigures = optionalFiguresIn(flags);
  const shown = shownOptionalColumns(optionalFigures);
  const all = [...SQUAD_COLUMNS, ...ofRecipes, ...optionalColumns(optionalFigures)];
  const added = [...shown, ...ofRecipes];
  const named = columns.map((name) => columnNamed(name, all));
  const standard =
    added.length === 0 ? MAIN_COLUMNS : SQUAD_COLUMNS.filter(({ key }) => BESIDE_OTHERS.includes(key));
  return {
    columns: named.length === 0 ? [...standard, ...added] : named,
    fileColumns: named.length === 0 ? all : named,
    sort: columnNamed(sort.replace(/^[+-]/, ""), all),
    isAscending: sort.startsWith("+"),
    recipes,
    optionalFigures,
    reportColumns: shown,
    cautions: cautionsOf(shown),
  };
}

/** Returns the optional figures that the options request. */
const optionalFiguresIn = ({ peaks, metabolicPower, standardRuns }: SquadFlags): OptionalFigure[] => [
  ...(peaks === true ? (["peaks"] as const) : []),
  ...(metabolicPower === true ? (["metabolic"] as const) : []),
  ...(standardRuns === true ? (["standardRuns"] as const) : []),
];

/** Refuses recipes with equal names, because names of columns contain them. */
function refuseEqualNames(recipes: readonly NamedRecipe[]): void {
  const again = commonKey(recipes);
  if (again !== null)
    throw new UsageError(`Two recipes would have the columns ${again}_…; name each once, or rename one.`);
}

/** @throws UsageError for options without effect on this format */
export function refuseForFormat(flags: SquadFlags, format: SquadFormat): void {
  const isText = format === "text";
  if (flags.individualZones !== undefined)
    refuseWithoutEffect(
      flags,
      ["zones", "highSpeed", "sprint"],
      "sets fixed limits, and --individual-zones the limits of each player; give one of them",
    );
  const isReport = format === "html";
  if (isReport && flags.by !== "player") refuseForPaper(flags);
  if (flags.by !== "player")
    refuseWithoutEffect(flags, ["load", "profile"], "combines the sessions of a season; add --by player");
  if (flags.by === "player") {
    refuseWithoutEffect(flags, ["zones"], "changes only the report of a session; omit it");
    if (!isText)
      refuseWithoutEffect(flags, ["columns"], "selects the columns of text; omit it for a season in a file");
    if (isReport)
      refuseWithoutEffect(flags, ["profile"], "is only for text and tables; omit it for a report");
    else
      refuseWithoutEffect(flags, ["sort"], "selects the figure in the report of a season; add --format html");
    return;
  }
  if (!isReport) refuseWithoutEffect(flags, ["zones"], "changes only the report; add --format html");
  if (isReport)
    refuseWithoutEffect(flags, ["columns"], "selects the columns of tables; the report has fixed columns");
  if (!isText)
    refuseWithoutEffect(flags, ["by"], "position groups the rows of text; a file has the column position");
}

const NAMES_ON_PAPER: Record<OptionalFigure, string> = {
  peaks: "peaks",
  metabolic: "metabolic power",
  standardRuns: "standard runs",
};

/** Refuses further figures, because a page has space for either one of the optional figures or the counts of recipes. */
function refuseForPaper({ recipe = [], ...flags }: SquadFlags): void {
  if (recipe.length > MOST_RECIPES_ON_PAPER)
    throw new UsageError(
      `A report has space for ${MOST_RECIPES_ON_PAPER} recipes; omit the others, or write a table.`,
    );
  const wanted = optionalFiguresIn(flags).map((one) => NAMES_ON_PAPER[one]);
  if (recipe.length > 0) wanted.push("recipes");
  if (wanted.length > 1)
    throw new UsageError(
      `A report has space for ${wanted.join(" or ")}; omit ${wanted.length === 2 ? "one of them" : "all but one"}, or write a table.`,
    );
}

/** @throws UsageError for options that apply to one session if there are several */
export function refuseForSeveral(sessions: number, format: SquadFormat, { periods }: SquadFlags): void {
  if (sessions === 1) return;
  if (periods !== undefined && periods !== SUGGESTED) {
    throw new UsageError(
      `The recordings are from ${sessions} sessions, and periods belong to one. Name the recordings of one session, or omit --periods.`,
    );
  }
  if (format === "html") {
    throw new UsageError(
      `The recordings are from ${sessions} sessions, and a report covers one. Name the recordings of one session, or add --by player for the season.`,
    );
  }
}

/** Finds a column by its key, or by the key without its unit: `distance` for `distance_m`. The name of a recipe finds its count. */
export function columnNamed(name: string, columns: readonly SquadColumn[] = SQUAD_COLUMNS): SquadColumn {
  const column =
    columns.find(({ key }) => key === name) ??
    columns.find(({ key, head }) => head === name || key.startsWith(`${name}_`));
  if (column !== undefined) return column;
  const names = columns.map(({ key }) => key).join(", ");
  throw new UsageError(`There is no column ${name}. The columns are ${names}.`);
}

/**
 * Returns the format.
 * @throws UsageError for an unknown format, or one that contradicts the name of the output
 */
export function formatOf({ format, output, decimal }: SquadFlags): SquadFormat {
  const byName =
    output === undefined || isStandardOutput(output)
      ? null
      : /\.(csv|jsonl|parquet|txt|xlsx|html)$/i.exec(output)?.[1]?.toLowerCase();
  if (byName === undefined)
    throw new UsageError(
      `Name the output .csv, .jsonl, .parquet, .xlsx, .html or .txt; ${output} has another extension.`,
    );
  const ofName = byName === null ? undefined : byName === "txt" ? "text" : (byName as SquadFormat);
  if (format !== undefined && ofName !== undefined && format !== ofName) {
    throw new UsageError(`${output} has the extension of a different format than --format ${format}.`);
  }
  const chosen = format ?? ofName ?? "text";
  if (chosen === "xlsx" || chosen === "parquet") refuseOnTerminal(output ?? "-", chosen, false);
  if (decimal !== undefined && chosen !== "csv") throw new UsageError("--decimal applies only to CSV.");
  return chosen;
}

/**
 * Returns the parameters of the figures.
 * @throws AsiError `BAD_OPTION` for invalid limits; UsageError for thresholds above the highest valid speed, because no value could reach them
 */
export function thresholdsOf({ sport, zones, highSpeed, sprint }: ThresholdFlags): ParameterOverrides {
  const params: ParameterOverrides = {
    ...(zones !== undefined && { speed_ranges: zones.limits }),
    ...(highSpeed !== undefined && { hid_thresholds: highSpeedThresholds(highSpeed) }),
    ...(sprint !== undefined && { sprint_threshold: sprint }),
  };
  // before any file is read
  const unreachable = unreachableText({
    definition: { parameters: metricParameters(sport ?? "soccer", params) },
  });
  if (unreachable !== null) throw new UsageError(`--sprint or --high-speed: ${unreachable} See --sport.`);
  return params;
}
