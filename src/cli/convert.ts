import { type ConvertOptions, formatOf } from "../convert.js";
import { type Column, checkLayout } from "../csv-layout.js";
import { checkDecodeOptions } from "../decode-options.js";
import { convertToDescriptor, type FileConversion } from "../files/convert-file.js";
import { DescriptorOutput } from "../files/descriptor-output.js";
import { withFormatOf } from "../files/output-format.js";
import { commitFiles, discardFiles } from "../files/prepared-files.js";
import type { FormatName } from "../formats/format.js";
import type { Inspection } from "../read-result.js";
import type { DecimalMark } from "../row-text/template.js";
import { count, notices } from "./account.js";
import { type Context, runBatch } from "./batch.js";
import { convertInput } from "./convert-input.js";
import { type ExitStatus, statusOf } from "./exit-status.js";
import { findInputs, type Input, nameOf, openInput } from "./inputs.js";
import { isStandardOutput, refuseAsOutput } from "./output.js";
import { OutputReservations } from "./output-reservations.js";
import { UsageError } from "./usage-error.js";

export interface ConvertFlags {
  output?: string;
  outDir?: string;
  force?: boolean;
  split?: boolean;
  from?: number;
  to?: number;
  format?: FormatName;
  columns?: Column[];
  delimiter?: string;
  decimal?: DecimalMark;
  fillHr?: number;
  serial?: string;
  strict?: boolean;
  jobs: number;
  json?: boolean;
}

/** `asi convert`: recordings in, CSV or another format out. */
export async function convert(args: string[], flags: ConvertFlags, context: Context): Promise<ExitStatus> {
  const given: ConvertOptions = {
    serial: flags.serial,
    strict: flags.strict,
    from: flags.from,
    to: flags.to,
    fillHrMs: flags.fillHr,
    columns: flags.columns,
    delimiter: flags.delimiter,
    decimalMark: flags.decimal,
    format: flags.format,
  };
  checkDecodeOptions(given);
  checkLayout(given);
  checkFlags(flags);
  const inputs = findInputs(args);
  checkOutput(flags, args, inputs);
  const { output } = flags;
  const options = output === undefined || isStandardOutput(output) ? given : withFormatOf(output, given);
  formatOf(options);
  const [only] = inputs;
  if (isStandardOutput(flags.output) && only !== undefined) return convertToOutput(only, options, context);
  return convertToFiles(inputs, flags, options, context);
}

async function convertToFiles(
  inputs: Input[],
  flags: ConvertFlags,
  options: ConvertOptions,
  context: Context,
): Promise<ExitStatus> {
  const { console, signal } = context;
  const { outDir, output, force, split } = flags;
  const jobs = Math.min(flags.jobs, inputs.length);
  const workers = jobs > 1 ? new (await import("./workers.js")).ConvertWorkers(signal) : null;
  const reservations = new OutputReservations(inputs);
  try {
    return await runBatch<FileConversion>(context, {
      inputs,
      json: flags.json === true,
      concurrency: jobs,
      async work(input, index, onProgress) {
        const task = { input, options: { ...options, outDir, output, force, split } };
        // only the main thread can read standard input
        const prepared =
          workers === null || input.kind !== "file"
            ? await convertInput(task, { onProgress, signal })
            : await workers.convert(task, onProgress);
        try {
          await reservations.reserve(index, prepared.paths);
        } catch (error) {
          discardFiles(prepared);
          throw error;
        }
        await commitFiles(prepared, { force, signal });
        return prepared.conversion;
      },
      onSettled: (index, isDone) => reservations.settle(index, isDone),
      refusalOf: (index) => reservations.refusalOf(index),
      async show({ files, report, rowsProduced }, input) {
        const name = nameOf(input);
        console.message(
          `${name}: ${count(rowsProduced, "row")} -> ${files.map(({ path }) => path).join(", ")}`,
        );
        for (const line of notices(console, name, report)) console.message(...line);
      },
      toJson: ({ files, ...inspection }) => ({ files, ...inspection }),
      statusOf: ({ report }) => statusOf(report),
    });
  } finally {
    await workers?.end();
  }
}

async function convertToOutput(input: Input, options: ConvertOptions, context: Context): Promise<ExitStatus> {
  const { console, signal } = context;
  const output = new DescriptorOutput(1, signal);
  return runBatch<Inspection>(context, {
    inputs: [input],
    json: false,
    // the terminal may show the rows themselves
    hasProgress: process.stdout.isTTY !== true,
    work: (_, __, onProgress) =>
      convertToDescriptor(openInput(input, onProgress), output, { ...options, signal }),
    async show({ report }) {
      for (const line of notices(console, nameOf(input), report)) console.message(...line);
    },
    toJson: () => ({}),
    statusOf: ({ report }) => statusOf(report),
  });
}

function checkFlags({ output, outDir, split, json }: ConvertFlags): void {
  if (output === undefined) return;
  if (split) throw new UsageError("--split writes several files, but -o names one; use --out-dir instead.");
  if (outDir !== undefined) throw new UsageError("Give either -o or --out-dir.");
  if (json && isStandardOutput(output)) {
    throw new UsageError("--json and the rows cannot both go to standard output; name a file with -o.");
  }
}

function checkOutput({ output }: ConvertFlags, args: readonly string[], inputs: readonly Input[]): void {
  if (output === undefined) return;
  if (args.length > 1 || inputs.length > 1) {
    throw new UsageError("-o names one file, but there are several inputs; use --out-dir.");
  }
  refuseAsOutput(output, inputs);
}
