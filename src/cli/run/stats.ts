import { computeMetrics, type Metrics, type MetricsOptions, type PresetName } from "../../metrics/index.js";
import { unreachableText } from "../../pictures/unreachable-threshold.js";
import type { ZoneKind } from "../../squad/index.js";
import { textLayout } from "../../squad-report/cell-files.js";
import { speedIn } from "../arguments/speed-zones.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, nameOf } from "../batch/inputs.js";
import { refuseAsOutput } from "../batch/output.js";
import { ExitStatus, statusOf } from "../terminal/exit-status.js";
import { instantFormat } from "../terminal/time-text.js";
import { refuseWithoutEffect, UsageError } from "../terminal/usage-error.js";
import { type ClubFlags, clubOf } from "./club.js";
import { damagedTrack, trackText } from "./encode-input.js";
import { type FigureFlags, wantedFigures } from "./figures.js";
import { figuresText } from "./figures-text.js";
import { jobsFor } from "./jobs.js";
import { type SampleFlags, selectionOf } from "./read-samples.js";
import { haveGate } from "./recipe-input.js";
import { notices } from "./report-text.js";
import { type Present, rosterFiles, tellAbsent } from "./squad-notices.js";
import { type ThresholdFlags, thresholdsOf } from "./squad-options.js";
import { writeContent } from "./squad-output.js";
import { StatsTable } from "./stats-csv.js";
import { type HeartRange, type Stats, statsOf } from "./stats-input.js";
import { statsText } from "./stats-text.js";

/** Options that select the parameters of the figures. */
export interface MetricsFlags extends ThresholdFlags {
  maxHr?: number;
}

const ZONES_REASON = "sets fixed limits, and --individual-zones the limits of each player; give one of them";

export interface StatsFlags extends MetricsFlags, SampleFlags, ClubFlags, FigureFlags {
  format?: "text" | "csv";
  decimal?: string;
  individualZones?: ZoneKind;
  heartRange?: HeartRange;
  json?: boolean;
  jobs?: number;
  output?: string;
  force?: boolean;
}

/** Runs `asi stats`, which prints figures of recordings. The service computes them with the same functions. */
export async function stats(args: string[], flags: StatsFlags, context: Context): Promise<ExitStatus> {
  const { console, signal } = context;
  if (flags.json && flags.format !== undefined) throw new UsageError("Give either --json or --format.");
  const ofName = !flags.json && /\.csv$/i.test(flags.output ?? "") ? "csv" : "text";
  const isTable = (flags.format ?? ofName) === "csv";
  if (flags.decimal !== undefined && !isTable)
    throw new UsageError("--decimal applies only to CSV: add --format csv.");
  if (flags.output !== undefined && !isTable)
    throw new UsageError("-o writes a table: name the output .csv, or add --format csv.");
  if (flags.individualZones !== undefined) {
    if (flags.roster === undefined)
      throw new UsageError("--individual-zones needs the speeds of the players: add --roster.");
    if (isTable)
      throw new UsageError("A table has the same zones for all players; use asi squad --individual-zones.");
    refuseWithoutEffect(flags, ["zones", "highSpeed", "sprint"], ZONES_REASON);
  }
  if (flags.heartRange !== undefined) {
    if (isTable)
      throw new UsageError("A table has figures of all rows; with --heart-range, use text or --json.");
    if (flags.hrv) throw new UsageError("--hrv needs successive beats; give it without --heart-range.");
  }
  const options = metricsOptions(flags);
  // validates the parameters before any file is read
  const { definition } = computeMetrics([], options);
  const { heartRange } = flags;
  const figures = wantedFigures(flags);
  const selection = {
    ...selectionOf(flags),
    quality: haveGate(figures?.recipes ?? []),
    tracks: { mayLackRows: figures?.hrv === true },
  };
  if (figures !== null && isTable) {
    throw new UsageError("The table of --format csv has none of these figures; use text or --json.");
  }
  const instantText = instantFormat(flags.tz);
  let isFirst = true;
  let csv = "";
  const inputs = findInputs(args, flags);
  if (flags.output !== undefined) refuseAsOutput(flags.output, inputs);
  const club = clubOf(flags, inputs, context);
  if (club === null) return ExitStatus.failed;
  const table = new StatsTable({
    unit: flags.zones?.unit ?? "m/s",
    layout: textLayout(flags.decimal, instantText),
    hasPlayers: club.roster !== null,
    hasPeriods: club.periods !== null,
  });
  tellZones(flags, definition, context);
  const present: Present[] = [];
  const jobs = jobsFor(inputs, flags.jobs);
  const workers = jobs > 1 ? new (await import("./workers.js")).Workers("stats", signal) : null;
  const working = runBatch<Stats>(context, {
    inputs,
    json: flags.json === true,
    concurrency: jobs,
    async work(input, _, onProgress) {
      const task = { input, selection, options, club, zones: flags.individualZones, heartRange, figures };
      // only the main thread can read standard input
      const isOwn = workers === null || input.kind !== "file";
      const found = await (isOwn ? statsOf(task, { onProgress, signal }) : workers.run(task, onProgress));
      present.push(found.present);
      return found;
    },
    async show({ info, report, repeated, metrics, player, periods, outside, figures, track }, input) {
      if (isTable) {
        const status = statusOfStats({ report, track });
        const isDamaged = status === ExitStatus.doneWithDamage;
        const recording = { input: input.name, info, isDamaged, player, metrics, periods };
        const lines = table.linesOf(recording);
        if (flags.output === undefined) await console.data(lines);
        else csv += lines;
      } else {
        for (const part of [{ name: null, metrics, figures }, ...periods]) {
          const range = heartRange === undefined ? null : `${heartRange.join(" to ")} bpm`;
          const name = [nameOf(input), player, part.name, range].filter((text) => text !== null).join(", ");
          const text =
            part.metrics === null
              ? `${name}\n  does not take part\n`
              : statsText(name, info, part.metrics, instantText);
          const optional = figuresText(part.figures ?? null, instantText);
          await console.data(`${isFirst ? "" : "\n"}${text}${optional}`);
          isFirst = false;
        }
      }
      for (const line of notices(console, nameOf(input), report, { repeated, bounds: selection.bounds }))
        console.message(...line);
      if (track !== null) console.message(`${nameOf(input)}: ${trackText(track)}`);
      if (track?.damage != null)
        console.message(`${nameOf(input)}: `, ...damagedTrack(console, track.damage));
      for (const text of [outside, unreachableText(metrics)])
        if (text !== null) console.message(`${nameOf(input)}: ${text}`);
    },
    toJson: ({ info, report, repeated, metrics, player, periods, figures, track }) => ({
      ...(club.roster !== null && { player }),
      info,
      report,
      ...(repeated.samples > 0 && { repeated }),
      ...(heartRange !== undefined && { heart_range: heartRange }),
      metrics,
      ...(club.periods !== null && { periods }),
      ...(figures !== null && { figures }),
      ...(track !== null && { track }),
    }),
    statusOf: statusOfStats,
  });
  try {
    const status = await working;
    // a player without figures may be the player of a recording that failed
    if (status !== ExitStatus.failed) tellAbsent(rosterFiles(flags.roster, club.roster), present, context);
    if (csv !== "") await writeContent(csv, flags, context);
    return status;
  } finally {
    await workers?.end();
  }
}

/** The report of a track describes its conversion, so its damage is only in the summary of the track. */
const statusOfStats = ({ report, track }: Pick<Stats, "report" | "track">): ExitStatus =>
  track?.damage == null ? statusOf(report) : ExitStatus.doneWithDamage;

/** Returns the options of `computeMetrics` for the given flags. */
export function metricsOptions({ maxHr, ...thresholds }: MetricsFlags): MetricsOptions & {
  preset: PresetName;
} {
  return {
    preset: thresholds.sport ?? "soccer",
    params: { ...thresholdsOf(thresholds), ...(maxHr !== undefined && { max_hr: maxHr }) },
  };
}

/** Prints the thresholds, because users expect `--zones` to change them. */
function tellZones(
  { zones, highSpeed, sprint }: MetricsFlags,
  { parameters: { hid_thresholds, sprint_threshold } }: Metrics["definition"],
  { console }: Context,
): void {
  if (zones === undefined || (highSpeed !== undefined && sprint !== undefined)) return;
  const text = (limit: number) => `${speedIn(zones.unit, limit)} ${zones.unit}`;
  console.message(
    `--zones does not change the thresholds: high speed from ${text(hid_thresholds[1])}, sprints from ${text(sprint_threshold)}; see --high-speed and --sprint`,
  );
}
