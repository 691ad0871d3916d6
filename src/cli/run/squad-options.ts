import {
  type MetricParameters,
  metricParameters,
  type ParameterOverrides,
  type PresetName,
} from "../../metrics/index.js";
import { decimalText, KM_PER_H } from "../../pictures/figure-text.js";
import { highSpeedThresholds, SQUAD_COLUMNS, type SquadColumn } from "../../squad/index.js";
import type { HrSource } from "../../types.js";
import type { SpeedZones } from "../arguments/speed-zones.js";
import { isStandardOutput, refuseOnTerminal } from "../batch/output.js";
import { refuseWithoutEffect, UsageError } from "../terminal/usage-error.js";
import { DEFAULT_COLUMNS } from "./squad-text.js";

export const SQUAD_FORMATS = ["text", "csv", "jsonl", "parquet", "xlsx", "html"] as const;
export type SquadFormat = (typeof SQUAD_FORMATS)[number];

/** Options that set thresholds and zones. */
export interface ThresholdFlags {
  sport?: PresetName;
  zones?: SpeedZones;
  highSpeed?: number;
  sprint?: number;
}

export interface SquadFlags extends ThresholdFlags {
  roster?: string;
  periods?: string;
  tz?: string;
  sort?: string;
  columns?: string[];
  by?: "position" | "player";
  matches?: string;
  cache?: boolean;
  jobs?: number;
  format?: SquadFormat;
  decimal?: string;
  output?: string;
  force?: boolean;
  hr?: HrSource;
}

/** The shown columns, and the order of the rows. */
export interface SquadOrder {
  columns: readonly SquadColumn[];
  /** The named columns; all if none are named. */
  fileColumns: readonly SquadColumn[];
  sort: SquadColumn;
  isAscending: boolean;
}

/** @throws UsageError for a column that does not exist */
export function orderOf({ columns = [], sort = "distance_m" }: SquadFlags): SquadOrder {
  const named = columns.map(columnNamed);
  return {
    columns: named.length === 0 ? DEFAULT_COLUMNS : named,
    fileColumns: named.length === 0 ? SQUAD_COLUMNS : named,
    sort: columnNamed(sort.replace(/^[+-]/, "")),
    isAscending: sort.startsWith("+"),
  };
}

/** @throws UsageError for options without effect in this format */
export function refuseForFormat(flags: SquadFlags, format: SquadFormat): void {
  const isText = format === "text";
  const isReport = format === "html";
  if (flags.by === "player") {
    refuseWithoutEffect(flags, ["zones"], "changes only the report of a session; leave it out");
    if (!isText)
      refuseWithoutEffect(
        flags,
        ["columns"],
        "chooses the columns of text; leave it out of a season in a file",
      );
    if (!isReport)
      refuseWithoutEffect(flags, ["sort"], "chooses the figure of the report of a season; add --format html");
    return;
  }
  if (!isReport) refuseWithoutEffect(flags, ["zones"], "changes only the report; add --format html");
  if (isReport)
    refuseWithoutEffect(flags, ["columns"], "chooses the columns of tables; the report has its own");
  if (!isText)
    refuseWithoutEffect(flags, ["by"], "position groups the rows of text; a file has the column position");
}

/** A column by its key, or by the key without its unit: `distance` is `distance_m`. */
export function columnNamed(name: string): SquadColumn {
  const column =
    SQUAD_COLUMNS.find(({ key }) => key === name) ??
    SQUAD_COLUMNS.find(({ key }) => key.startsWith(`${name}_`));
  if (column !== undefined) return column;
  const names = SQUAD_COLUMNS.map(({ key }) => key).join(", ");
  throw new UsageError(`There is no column ${name}. The columns are ${names}.`);
}

/** @throws UsageError for an unknown format, or one that contradicts the name of the output */
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
    throw new UsageError(`${output} has the extension of another format than --format ${format}.`);
  }
  const chosen = format ?? ofName ?? "text";
  if (chosen === "xlsx" || chosen === "parquet") refuseOnTerminal(output ?? "-", chosen, false);
  if (decimal !== undefined && chosen !== "csv") throw new UsageError("--decimal applies only to CSV.");
  return chosen;
}

/** Parameters of the figures. @throws AsiError `BAD_OPTION` for invalid limits */
export function thresholdsOf({ sport, zones, highSpeed, sprint }: ThresholdFlags): ParameterOverrides {
  const params: ParameterOverrides = {
    ...(zones !== undefined && { speed_ranges: zones.limits }),
    ...(highSpeed !== undefined && { hid_thresholds: highSpeedThresholds(highSpeed) }),
    ...(sprint !== undefined && { sprint_threshold: sprint }),
  };
  // validates the parameters before a file is read
  refuseUnreachable(metricParameters(sport ?? "soccer", params), { highSpeed, sprint });
  return params;
}

/** @throws UsageError for thresholds above the highest valid speed: no value could reach them */
function refuseUnreachable(
  { max_valid_speed }: MetricParameters,
  { highSpeed, sprint }: { highSpeed: number | undefined; sprint: number | undefined },
): void {
  for (const [option, speed] of Object.entries({ "high-speed": highSpeed, sprint })) {
    if (speed === undefined || speed <= max_valid_speed) continue;
    const [given, limit] = [speed, max_valid_speed].map((one) => decimalText(one * KM_PER_H, 1));
    throw new UsageError(
      `--${option} is ${given} km/h, and rows faster than ${limit} km/h are not counted, so no row reaches it. Check the unit and --sport.`,
    );
  }
}
