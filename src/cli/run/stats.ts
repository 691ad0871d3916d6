import { computeMetrics, type MetricsOptions, type PresetName } from "../../metrics/index.js";
import type { SpeedZones } from "../arguments/speed-zones.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, nameOf } from "../batch/inputs.js";
import { type ExitStatus, isDamaged, statusOf } from "../terminal/exit-status.js";
import { instantFormat } from "../terminal/time-text.js";
import { UsageError } from "../terminal/usage-error.js";
import { type FigureFlags, wantedFigures } from "./figures.js";
import { figuresText } from "./figures-text.js";
import { jobsFor } from "./jobs.js";
import { type SampleFlags, selectionOf } from "./read-samples.js";
import { notices } from "./report-text.js";
import { StatsTable } from "./stats-csv.js";
import { type Stats, statsOf } from "./stats-input.js";
import { statsText } from "./stats-text.js";

/** Options that select the parameters of the figures. */
export interface MetricsFlags {
  sport?: PresetName;
  zones?: SpeedZones;
  maxHr?: number;
}

export interface StatsFlags extends MetricsFlags, SampleFlags, FigureFlags {
  format?: "text" | "csv";
  json?: boolean;
  jobs?: number;
}

/** `asi stats`: figures of recordings, by the functions that the service uses. */
export async function stats(args: string[], flags: StatsFlags, context: Context): Promise<ExitStatus> {
  const { console, signal } = context;
  if (flags.json && flags.format !== undefined) throw new UsageError("Give either --json or --format.");
  const selection = selectionOf(flags);
  const options = metricsOptions(flags);
  // refuses wrong parameters before a file is read
  computeMetrics([], options);
  const figures = wantedFigures(flags);
  if (figures !== null && flags.format === "csv") {
    throw new UsageError("The table of --format csv has none of these figures; use text or --json.");
  }
  const instantText = instantFormat(flags.tz);
  const table = new StatsTable(flags.zones?.unit ?? "m/s", instantText);
  let isFirst = true;
  const inputs = findInputs(args, flags);
  const jobs = jobsFor(inputs, flags.jobs);
  const workers = jobs > 1 ? new (await import("./workers.js")).Workers("stats", signal) : null;
  const working = runBatch<Stats>(context, {
    inputs,
    json: flags.json === true,
    concurrency: jobs,
    work(input, _, onProgress) {
      const task = { input, selection, options, figures };
      // only the main thread can read standard input
      const isOwn = workers === null || input.kind !== "file";
      return isOwn ? statsOf(task, { onProgress, signal }) : workers.run(task, onProgress);
    },
    async show({ info, report, metrics, figures }, input) {
      if (flags.format === "csv") {
        const recording = { input: input.name, info, isDamaged: isDamaged(report), metrics };
        await console.data(table.lineOf(recording));
      } else {
        const text = statsText(nameOf(input), info, metrics, instantText);
        await console.data(`${isFirst ? "" : "\n"}${text}${figuresText(figures, instantText)}`);
        isFirst = false;
      }
      for (const line of notices(console, nameOf(input), report)) console.message(...line);
    },
    toJson: ({ info, report, metrics, figures }) => ({
      info,
      report,
      metrics,
      ...(figures !== null && { figures }),
    }),
    statusOf: ({ report }) => statusOf(report),
  });
  try {
    return await working;
  } finally {
    await workers?.end();
  }
}

/** The options of `computeMetrics` that flags mean. */
export function metricsOptions({ sport = "soccer", zones, maxHr }: MetricsFlags): MetricsOptions & {
  preset: PresetName;
} {
  return {
    preset: sport,
    params: {
      ...(zones !== undefined && { speed_ranges: zones.limits }),
      ...(maxHr !== undefined && { max_hr: maxHr }),
    },
  };
}
