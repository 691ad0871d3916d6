import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { WrittenFile } from "../../files/output-file.js";
import { OutputNames } from "../../files/output-names.js";
import { computeMetrics } from "../../metrics/index.js";
import type { Repeated } from "../../metrics/samples.js";
import { packSamples, toBase64 } from "../../packed/index.js";
import { reportHtml } from "../../packed/report-file.js";
import type { Inspection } from "../../reading/read-result.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, type Input, nameOf } from "../batch/inputs.js";
import { isStandardOutput, refuseAsOutput, streamOf, writeOutput } from "../batch/output.js";
import { OutputReservations } from "../batch/output-reservations.js";
import { type ExitStatus, statusOf } from "../terminal/exit-status.js";
import { UsageError } from "../terminal/usage-error.js";
import type { ClubFlags } from "./club.js";
import { inputName } from "./convert-input.js";
import { readSamples, type SampleFlags, selectionOf } from "./read-samples.js";
import { notices } from "./report-text.js";
import type { SquadFlags } from "./squad-options.js";
import { type MetricsFlags, metricsOptions } from "./stats.js";

export interface ReportFlags extends MetricsFlags, SampleFlags, ClubFlags {
  output?: string;
  outDir?: string;
  force?: boolean;
  json?: boolean;
  name?: string;
}

interface WrittenReport {
  /** Null if the output is the standard output. */
  file: WrittenFile | null;
  inspection: Inspection;
  repeated: Repeated;
}

/** The file of the viewer. The build of `web/` writes it to the folder above the command. */
const TEMPLATE = join(__dirname, "..", "report.html");

/** Runs `asi report`, which writes one file with the viewer and a recording, or a squad. */
export async function report(args: string[], flags: ReportFlags, context: Context): Promise<ExitStatus> {
  const { console, signal } = context;
  const { output, outDir, force } = flags;
  const selection = selectionOf(flags);
  const { preset, params = {} } = metricsOptions(flags);
  // validates the parameters before any file is read
  computeMetrics([], { preset, params });
  const names = new OutputNames({ name: flags.name, nameTimeZone: flags.tz });
  const inputs = findInputs(args);
  if (output !== undefined && (args.length > 1 || inputs.length > 1)) {
    const { squad } = await import("./squad.js");
    return squad(args, squadFlags(flags), context);
  }
  if (flags.roster !== undefined || flags.periods !== undefined)
    throw new UsageError(
      "--roster and --periods apply only to the report of a squad: name several recordings, and use -o.",
    );
  checkOutput(flags, inputs);
  const template = await readFile(TEMPLATE, "utf8");
  const reservations = new OutputReservations(inputs);
  return runBatch<WrittenReport>(context, {
    inputs,
    json: flags.json === true,
    async work(input, index, onProgress) {
      const { samples, repeated, inspection } = await readSamples(input, selection, signal, onProgress);
      const path = output ?? pathFor(names, input, inspection, outDir);
      const html = reportHtml(template, {
        version: 1,
        name: basename(input.name),
        inspection,
        metrics: { preset, params },
        samples: toBase64(packSamples(samples)),
      });
      if (outDir !== undefined) mkdirSync(outDir, { recursive: true });
      const reserve = isStandardOutput(output) ? undefined : () => reservations.reserve(index, [path]);
      const file = await writeOutput(streamOf(new TextEncoder().encode(html)), path, {
        force,
        signal,
        reserve,
      });
      return { file, inspection, repeated };
    },
    onSettled: (index, isDone) => reservations.settle(index, isDone),
    refusalOf: (index) => reservations.refusalOf(index),
    async show({ file, inspection, repeated }, input) {
      const name = nameOf(input);
      if (file !== null) console.message(`${name}: ${file.bytes} bytes -> ${file.path}`);
      for (const line of notices(console, name, inspection.report, { repeated, bounds: selection.bounds }))
        console.message(...line);
    },
    toJson: ({ file, inspection }) => ({ files: file === null ? [] : [file], ...inspection }),
    statusOf: ({ inspection }) => statusOf(inspection.report),
  });
}

/** Returns the path of a report. The name has the form of the files of `asi convert`, in `folder` or the folder of the input. */
function pathFor(
  names: OutputNames,
  input: Input,
  { info, report }: Inspection,
  outDir: string | undefined,
): string {
  const file = { serial: info.serial, start: report.start ?? 0, end: report.end ?? 0 };
  const [name = `${info.serial}.html`] = names.of([file], inputName(input), ".html");
  return join(outDir ?? (input.kind === "file" ? dirname(input.path) : ""), name);
}

/** Returns the report options that apply to a squad. Refuses the others. */
function squadFlags(flags: ReportFlags): SquadFlags {
  const { from, to, serial, maxHr, json, name, outDir, ...others } = flags;
  const refused = Object.entries({ from, to, serial, "max-hr": maxHr, json, name, "out-dir": outDir })
    .filter(([, value]) => value !== undefined)
    .map(([option]) => `--${option}`);
  if (refused.length > 0) {
    throw new UsageError(
      `With several recordings and -o, the report is that of a squad, which does not support ${refused.join(", ")}. Use --out-dir for a report of each recording.`,
    );
  }
  return { ...others, format: "html" };
}

function checkOutput({ output, outDir, json, name }: ReportFlags, inputs: readonly Input[]): void {
  if (output === undefined) return;
  if (outDir !== undefined) throw new UsageError("Give either -o or --out-dir.");
  if (name !== undefined) throw new UsageError("Give either -o or --name.");
  if (json && isStandardOutput(output)) {
    throw new UsageError("--json and the report cannot both go to standard output; name a file with -o.");
  }
  refuseAsOutput(output, inputs);
}
