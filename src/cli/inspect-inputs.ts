import { checkDecodeOptions } from "../decode-options.js";
import { inspect } from "../inspect.js";
import type { Inspection } from "../read-result.js";
import type { HrSource } from "../types.js";
import { type Context, runBatch } from "./batch.js";
import { type ExitStatus, statusOf } from "./exit-status.js";
import { findInputs, type Input, openInput } from "./inputs.js";

/** Options of the commands that only look. */
export interface InspectFlags {
  serial?: string;
  tz?: string;
  hr?: HrSource;
  json?: boolean;
}

/** Inspects each input and prints what `text` makes of it; or, with `--json`, `toJson`. */
export function inspectInputs(
  args: string[],
  flags: InspectFlags,
  context: Context,
  present: {
    text(inspection: Inspection, input: Input, isOnly: boolean): string;
    toJson(inspection: Inspection): object;
  },
): Promise<ExitStatus> {
  checkDecodeOptions(flags);
  const inputs = findInputs(args);
  return runBatch<Inspection>(context, {
    inputs,
    json: flags.json === true,
    work: (input, _, onProgress) =>
      inspect(openInput(input, onProgress), { serial: flags.serial, hr: flags.hr, signal: context.signal }),
    show: (inspection, input) => context.console.data(present.text(inspection, input, inputs.length === 1)),
    toJson: present.toJson,
    statusOf: ({ report }) => statusOf(report),
  });
}
