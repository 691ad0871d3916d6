import type { Metrics } from "../../metrics/index.js";
import { RECIPES } from "../../metrics/index.js";
import { recordedTimeMs } from "../../metrics/recorded-time.js";
import type { Repeated } from "../../metrics/samples.js";
import { figureDefinitions, figureOf, NO_FIGURES, SQUAD_COLUMNS } from "../../squad/index.js";
import { rounded } from "../../squad-report/squad-columns.js";
import type { RecordingInfo, Report } from "../../types.js";
import { parseSport, SPORT_NAMES } from "../arguments/sport.js";
import { parseTimeBound, parseTimeZone, type TimeBound } from "../arguments/time-bounds.js";
import type { Figures } from "../run/figures.js";
import { type StatsFlags, stats } from "../run/stats.js";
import { isDamaged } from "../terminal/exit-status.js";
import { DescribedError, type Failure } from "../terminal/problem.js";
import { badArguments, type Given, integer, type Property, text, texts } from "./schema.js";
import { captured, type Surroundings } from "./tool.js";

export const RECIPE_NAMES: readonly string[] = RECIPES.map(({ name }) => name);

const TIME = 'such as 2025-05-17T14:30:00Z, "2025-05-17 14:30" or 14:30 in the zone of tz';

/** Arguments that select the rows. */
export const TIMES: Readonly<Record<string, Property>> = {
  from: text(`only rows at or after this time, ${TIME}`),
  to: text(`only rows at or before this time, ${TIME}`),
  tz: text("time zone of from and to, such as Europe/Zurich; default UTC"),
};

/** Arguments that select the definitions of the figures. */
export const FIGURES: Readonly<Record<string, Property>> = {
  ...TIMES,
  sport: text("speed zones and thresholds of this sport; default soccer", SPORT_NAMES),
  max_hr: integer("maximum heart rate of the athlete, for the heart-rate zones", 60, 240),
  recipes: texts("also count with these recipes from list_recipes", [1, 5], RECIPE_NAMES),
};

/** Returns the time bounds of a call. */
export function timesOf({ from, to, tz }: Given): { from?: TimeBound; to?: TimeBound; tz?: string } {
  return argued(() => ({
    ...(from !== undefined && { from: parseTimeBound(String(from), "start") }),
    ...(to !== undefined && { to: parseTimeBound(String(to), "end") }),
    ...(tz !== undefined && { tz: parseTimeZone(String(tz)) }),
  }));
}

/** Runs an option parser, and reports its command-line errors as invalid arguments. */
function argued<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw badArguments(error instanceof Error ? error.message : String(error));
  }
}

/** Returns the options of `asi stats` for a call. */
export function figureFlags(given: Given): StatsFlags {
  const { sport, max_hr: maxHr, recipes } = given;
  return {
    ...timesOf(given),
    ...(sport !== undefined && { sport: parseSport(String(sport)) }),
    ...(maxHr !== undefined && { maxHr: Number(maxHr) }),
    ...(recipes !== undefined && { recipe: [...(recipes as string[])] }),
  };
}

/** A line of `asi stats --json`. */
export interface StatsLine {
  info: RecordingInfo;
  report: Report;
  repeated?: Repeated;
  metrics: Metrics;
  figures?: Figures;
}

/**
 * Runs `asi stats` for a recording.
 * @throws DescribedError for a recording that cannot be read
 */
export async function statsLine(
  name: string,
  flags: StatsFlags,
  surroundings: Surroundings,
): Promise<{ file: string; line: StatsLine; notices: string[] }> {
  const { path, name: file } = await surroundings.folders.file(name);
  const { objects, messages } = await captured(surroundings, (context) =>
    stats([path], { ...flags, json: true, jobs: 1 }, context),
  );
  const [line] = objects as (StatsLine | Failure)[];
  if (line === undefined || "error" in line) {
    throw new DescribedError({
      error: line?.error ?? { code: "NO_SAMPLES", message: messages.join(" ") || "There are no figures." },
    });
  }
  return { file, line, notices: messages };
}

/** Returns the source of the figures, and their rules. */
export const sourceOf = (file: string, { info, metrics }: StatsLine) => ({
  file,
  serial: info.serial,
  device: info.deviceName,
  from: instant(metrics.first_timestamp),
  to: instant(metrics.last_timestamp),
  rules: `docs/metrics.md, version ${metrics.definition.version}`,
  parameters: metrics.definition.parameters,
});

/** Describes the completeness of the figures. */
export function qualityOf({ report, repeated, metrics }: StatsLine) {
  const { first_timestamp: first, last_timestamp: last, too_fast } = metrics;
  const recordedMs = recordedTimeMs(metrics);
  const spanMs = first === null || last === null ? 0 : last - first;
  return {
    span_s: spanMs / 1000,
    recorded_s: recordedMs / 1000,
    share_with_data: spanMs === 0 ? null : Math.round((1000 * recordedMs) / spanMs) / 1000,
    rows_of_the_recording: report.rows.total,
    rows_with_heart_rate: report.rows.withHr,
    too_fast_rows: too_fast.samples,
    repeated_rows: repeated?.samples ?? 0,
    frames_without_a_row: report.gnssWithoutRow,
    is_damaged: isDamaged(report),
    skipped_bytes: report.bytes.skipped,
  };
}

/** Returns the figures of a recording with units and definitions. They are the figures that the table of a squad contains. */
export function listedFigures({ metrics }: StatsLine) {
  const definitions = figureDefinitions();
  return SQUAD_COLUMNS.flatMap((column, i) => {
    // this figure requires a maximum heart rate
    if (column.key === "trimp") return [];
    const value = rounded(figureOf({ ...NO_FIGURES, metrics }, column));
    return {
      name: column.key,
      value,
      unit: column.unit,
      definition: definitions[i]?.definition ?? "",
    };
  });
}

export const instant = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
