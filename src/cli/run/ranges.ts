import { inspect } from "../../api/inspect.js";
import type { Context } from "../batch/batch.js";
import { nameOf } from "../batch/inputs.js";
import type { ExitStatus } from "../terminal/exit-status.js";
import { instantFormat } from "../terminal/time-text.js";
import { type InspectFlags, inspectInputs } from "./inspect-inputs.js";

/**
 * Runs `asi ranges`, which prints the start, stop and number of rows of each range, separated by tabs. For several inputs, the name of the
 * input comes first.
 */
export function ranges(args: string[], flags: InspectFlags, context: Context): Promise<ExitStatus> {
  const instantText = instantFormat(flags.tz);
  return inspectInputs(args, flags, context, {
    inspect,
    text: ({ report }, input, isOnly) =>
      report.ranges
        .map(({ start, stop, size }) => {
          const fields = [instantText(start), instantText(stop), String(size)];
          return `${(isOnly ? fields : [nameOf(input), ...fields]).join("\t")}\n`;
        })
        .join(""),
    toJson: ({ report }) => ({ ranges: report.ranges }),
  });
}
