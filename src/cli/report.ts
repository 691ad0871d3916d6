import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { WrittenFile } from "../files/output-file.js";
import { computeMetrics } from "../metrics/index.js";
import { packSamples, toBase64 } from "../packed/index.js";
import type { Inspection } from "../read-result.js";
import { reportHtml } from "../report-file.js";
import { type Context, runBatch } from "./batch.js";
import { type ExitStatus, statusOf } from "./exit-status.js";
import { findInputs, type Input, nameOf } from "./inputs.js";
import { isStandardOutput, refuseAsOutput, streamOf, writeOutput } from "./output.js";
import { OutputReservations } from "./output-reservations.js";
import { readSamples, type SampleFlags, selectionOf } from "./read-samples.js";
import { notices } from "./report-text.js";
import { type MetricsFlags, metricsOptions } from "./stats.js";
import { UsageError } from "./usage-error.js";

export interface ReportFlags extends MetricsFlags, SampleFlags {
  output?: string;
  outDir?: string;
  force?: boolean;
  json?: boolean;
}

interface WrittenReport {
  /** null: it went to the standard output */
  file: WrittenFile | null;
  inspection: Inspection;
}

/** The viewer, which the build of `web/` puts beside the folder of the command. */
const TEMPLATE = join(__dirname, "..", "report.html");

/** `asi report`: the viewer and a recording in one file. */
export async function report(args: string[], flags: ReportFlags, context: Context): Promise<ExitStatus> {
  const { console, signal } = context;
  const { output, outDir, force } = flags;
  const selection = selectionOf(flags);
  const { preset, params = {} } = metricsOptions(flags);
  // refuses wrong parameters before a file is read
  computeMetrics([], { preset, params });
  const inputs = findInputs(args);
  checkOutput(flags, args, inputs);
  const template = await readFile(TEMPLATE, "utf8");
  const reservations = new OutputReservations(inputs);
  return runBatch<WrittenReport>(context, {
    inputs,
    json: flags.json === true,
    async work(input, index, onProgress) {
      const { samples, inspection, firstDamage } = await readSamples(input, selection, signal, onProgress);
      const path = output ?? pathFor(input, inspection.info.serial, outDir);
      const html = reportHtml(template, {
        version: 1,
        name: basename(input.name),
        inspection,
        firstDamage,
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
      return { file, inspection };
    },
    onSettled: (index, isDone) => reservations.settle(index, isDone),
    refusalOf: (index) => reservations.refusalOf(index),
    async show({ file, inspection }, input) {
      const name = nameOf(input);
      if (file !== null) console.message(`${name}: ${file.bytes} bytes -> ${file.path}`);
      for (const line of notices(console, name, inspection.report)) console.message(...line);
    },
    toJson: ({ file, inspection }) => ({ files: file === null ? [] : [file], ...inspection }),
    statusOf: ({ inspection }) => statusOf(inspection.report),
  });
}

/** `match.html` for `match.asi`, beside it or in the folder; `SERIAL.html` for standard input. */
function pathFor(input: Input, serial: string, outDir: string | undefined): string {
  if (input.kind !== "file") return join(outDir ?? "", `${serial}.html`);
  const extension = extname(input.path);
  const named = `${extension === "" ? input.path : input.path.slice(0, -extension.length)}.html`;
  return outDir === undefined ? named : join(outDir, basename(named));
}

function checkOutput(
  { output, outDir, json }: ReportFlags,
  args: readonly string[],
  inputs: readonly Input[],
): void {
  if (output === undefined) return;
  if (outDir !== undefined) throw new UsageError("Give either -o or --out-dir.");
  if (args.length > 1 || inputs.length > 1) {
    throw new UsageError("-o names one file, but there are several inputs; use --out-dir.");
  }
  if (json && isStandardOutput(output)) {
    throw new UsageError("--json and the report cannot both go to standard output; name a file with -o.");
  }
  refuseAsOutput(output, inputs);
}
