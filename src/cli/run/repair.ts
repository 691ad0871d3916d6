import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { repair as repairSource } from "../../api/repair.js";
import type { WrittenFile } from "../../files/output-file.js";
import { repairedName } from "../../files/recordings.js";
import { checkDecodeOptions } from "../../reading/decode-options.js";
import type { RecordingInfo, Report } from "../../types.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, type Input, nameOf, openInput } from "../batch/inputs.js";
import { isStandardOutput, refuseAsRecording, writeOutput } from "../batch/output.js";
import { OutputReservations } from "../batch/output-reservations.js";
import { type ExitStatus, statusOf } from "../terminal/exit-status.js";
import { DescribedError } from "../terminal/problem.js";
import { UsageError } from "../terminal/usage-error.js";
import { notices } from "./report-text.js";

export interface RepairFlags {
  output?: string;
  outDir?: string;
  force?: boolean;
  serial?: string;
  json?: boolean;
}

interface Repaired {
  /** Null if the output is the standard output. */
  file: WrittenFile | null;
  info: RecordingInfo;
  report: Report;
}

/** Runs `asi repair`, which copies the valid frames of damaged recordings. */
export function repair(args: string[], flags: RepairFlags, context: Context): Promise<ExitStatus> {
  const { console, signal } = context;
  const { output, outDir, force, serial } = flags;
  checkDecodeOptions(flags);
  const isToOutput = isStandardOutput(output);
  if (output !== undefined && outDir !== undefined) throw new UsageError("Give either -o or --out-dir.");
  if (flags.json === true && isToOutput) {
    throw new UsageError("--json and the recording cannot both go to standard output; name a file with -o.");
  }
  const found = findInputs(args, flags);
  const unrepaired = found.filter((input) => args.includes(input.name) || !isRepaired(input));
  const inputs = unrepaired.length > 0 ? unrepaired : args.map(nothingToRepair);
  if (output !== undefined) {
    if (args.length > 1 || inputs.length > 1) {
      throw new UsageError("-o names one file, but there are several inputs; use --out-dir.");
    }
    refuseAsRecording(output, inputs);
  }
  const reservations = new OutputReservations(inputs);
  return runBatch<Repaired>(context, {
    inputs,
    json: flags.json === true,
    outcome: "written",
    async work(input, index, onProgress) {
      const source = openInput(input, onProgress);
      const path = output ?? pathFor(input, outDir);
      const { recording, report, info } = repairSource(source, { serial, signal });
      if (outDir !== undefined) mkdirSync(outDir, { recursive: true });
      const reserve = isToOutput ? undefined : () => reservations.reserve(index, [path]);
      const file = await writeOutput(recording, path, { force, signal, reserve });
      return { file, info: await info, report: await report };
    },
    onSettled: (index, isDone) => reservations.settle(index, isDone),
    refusalOf: (index) => reservations.refusalOf(index),
    async show({ file, report }, input) {
      const name = nameOf(input);
      if (file !== null) console.message(`${name}: ${file.bytes} bytes -> ${file.path}`);
      for (const line of notices(console, name, report)) console.message(...line);
    },
    toJson: ({ file, info, report }) => ({ files: file === null ? [] : [file], info, report }),
    statusOf: ({ report }) => statusOf(report),
  });
}

function nothingToRepair(name: string): Input {
  const message = "This folder contains only repaired recordings; name a file to repair it again.";
  return { kind: "missing", name, error: new DescribedError({ error: { code: "NO_INPUT", message } }) };
}

// Returns whether an input is the output of an earlier repair in its folder.
function isRepaired(input: Input): boolean {
  return /\.repaired\.asi$/i.test(input.name);
}

function pathFor(input: Input, outDir: string | undefined): string {
  const path = repairedName(input.kind === "file" ? input.path : "standard-input");
  return outDir === undefined ? path : join(outDir, basename(path));
}
