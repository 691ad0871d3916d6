import { formatOf } from "../../api/convert.js";
import { convertToDescriptor, type FileConversion } from "../../files/convert-file.js";
import { DescriptorOutput } from "../../files/descriptor-output.js";
import { withFormatOf } from "../../files/output-format.js";
import { OutputNames } from "../../files/output-names.js";
import { commitFiles, discardFiles } from "../../files/prepared-files.js";
import type { FormatName, ParquetNumbers } from "../../formats/format.js";
import { count } from "../../pictures/figure-text.js";
import { checkDecodeOptions } from "../../reading/decode-options.js";
import type { Inspection } from "../../reading/read-result.js";
import { type Column, checkLayout } from "../../rows/csv-layout.js";
import type { DecimalMark } from "../../rows/row-text/template.js";
import type { TimeFormat } from "../../rows/time-layout.js";
import type { HrSource } from "../../types.js";
import { resolveBounds, type TimeBound, type TimeBounds } from "../arguments/time-bounds.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, type Input, nameOf } from "../batch/inputs.js";
import { isStandardOutput, refuseAsOutput, refuseOnTerminal } from "../batch/output.js";
import { OutputReservations } from "../batch/output-reservations.js";
import { type ExitStatus, statusOf } from "../terminal/exit-status.js";
import { UsageError } from "../terminal/usage-error.js";
import { type ConvertTask, convertInput, openWithBounds } from "./convert-input.js";
import { jobsFor } from "./jobs.js";
import { explainEmptyRange } from "./no-samples.js";
import { notices } from "./report-text.js";

export interface ConvertFlags {
  output?: string;
  outDir?: string;
  force?: boolean;
  split?: boolean;
  name?: string;
  from?: TimeBound;
  to?: TimeBound;
  tz?: string;
  time?: TimeFormat;
  format?: FormatName;
  columns?: Column[];
  delimiter?: string;
  decimal?: DecimalMark;
  fillHr?: number;
  every?: number;
  numbers?: ParquetNumbers;
  rrIntervals?: boolean;
  hr?: HrSource;
  serial?: string;
  strict?: boolean;
  jobs?: number;
  json?: boolean;
}

/** Safety limit on the number of files, because a recording with many short ranges would fill a folder. */
const MAX_SPLIT_FILES = 100;

/** Runs `asi convert`, which converts recordings to CSV or another format. */
export async function convert(args: string[], flags: ConvertFlags, context: Context): Promise<ExitStatus> {
  const bounds: TimeBounds = { from: flags.from, to: flags.to, timeZone: flags.tz };
  const given = {
    serial: flags.serial,
    strict: flags.strict,
    fillHrMs: flags.fillHr,
    everyMs: flags.every,
    numbers: flags.numbers,
    rrIntervals: flags.rrIntervals,
    time: flags.time,
    // --tz always applies to --from and --to
    timeZone: flags.time === "local" || flags.time === "excel" ? flags.tz : undefined,
    hr: flags.hr,
    columns: flags.columns,
    delimiter: flags.delimiter,
    decimalMark: flags.decimal,
    format: flags.format,
  };
  checkFlags(flags);
  new OutputNames({ name: flags.name });
  checkDecodeOptions({ ...given, ...resolveBounds(bounds, null) });
  checkLayout(given);
  const inputs = findInputs(args, flags);
  checkOutput(flags, args, inputs);
  const { output } = flags;
  const options = output === undefined || isStandardOutput(output) ? given : withFormatOf(output, given);
  const format = formatOf(options);
  refuseOnTerminal(output, format.name, format.isBinary !== true);
  const [only] = inputs;
  if (isStandardOutput(flags.output) && only !== undefined)
    return convertToOutput(only, bounds, options, context);
  return convertToFiles(inputs, flags, { bounds, options }, context);
}

async function convertToFiles(
  inputs: Input[],
  flags: ConvertFlags,
  { bounds, options }: Omit<ConvertTask, "input">,
  context: Context,
): Promise<ExitStatus> {
  const { console, signal } = context;
  const { outDir, output, force, split, name, tz } = flags;
  const maxFiles = force === true ? undefined : MAX_SPLIT_FILES;
  const writing = { outDir, output, force, split, maxFiles, name, nameTimeZone: tz };
  const jobs = jobsFor(inputs, flags.jobs);
  const workers = jobs > 1 ? new (await import("./workers.js")).Workers("convert", signal) : null;
  const reservations = new OutputReservations(inputs);
  try {
    return await runBatch<FileConversion>(context, {
      inputs,
      json: flags.json === true,
      outcome: "written",
      concurrency: jobs,
      async work(input, index, onProgress) {
        const task = { input, bounds, options: { ...options, ...writing } };
        // only the main thread can read standard input
        const preparing =
          workers === null || input.kind !== "file"
            ? convertInput(task, { onProgress, signal })
            : workers.run(task, onProgress);
        const prepared = await explainEmptyRange(bounds, preparing);
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
        for (const line of notices(console, name, report, { bounds })) console.message(...line);
      },
      toJson: ({ files, ...inspection }) => ({ files, ...inspection }),
      statusOf: ({ report }) => statusOf(report),
    });
  } finally {
    await workers?.end();
  }
}

async function convertToOutput(
  input: Input,
  bounds: TimeBounds,
  options: ConvertTask["options"],
  context: Context,
): Promise<ExitStatus> {
  const { console, signal } = context;
  const output = new DescriptorOutput(1, signal);
  return runBatch<Inspection>(context, {
    inputs: [input],
    json: false,
    // the rows themselves may be printed on the terminal
    hasProgress: process.stdout.isTTY !== true,
    async work(_, __, onProgress) {
      const { source, from, to } = await openWithBounds(input, bounds, options.serial, onProgress);
      return explainEmptyRange(bounds, convertToDescriptor(source, output, { ...options, from, to, signal }));
    },
    async show({ report }) {
      for (const line of notices(console, nameOf(input), report, { bounds })) console.message(...line);
    },
    toJson: () => ({}),
    statusOf: ({ report }) => statusOf(report),
  });
}

function checkFlags({ output, outDir, split, name, json, time, tz }: ConvertFlags): void {
  if (time === "local" && tz === undefined) {
    throw new UsageError(
      "--time local requires --tz: --tz Europe/Zurich, or --tz local for the zone of this computer.",
    );
  }

  if (output === undefined) return;
  if (split) throw new UsageError("--split writes several files, but -o names one; use --out-dir instead.");
  if (outDir !== undefined) throw new UsageError("Give either -o or --out-dir.");
  if (name !== undefined) throw new UsageError("Give either -o or --name.");
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
