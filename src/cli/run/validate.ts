import { inspect } from "../../api/inspect.js";
import { count } from "../../pictures/figure-text.js";
import { checkDecodeOptions } from "../../reading/decode-options.js";
import type { Inspection } from "../../reading/read-result.js";
import type { DamagePlace, Report } from "../../types.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, nameOf, openInput } from "../batch/inputs.js";
import { type ExitStatus, isDamaged, statusOf } from "../terminal/exit-status.js";
import type { InspectFlags } from "./inspect-inputs.js";
import { damageText, timeTexts } from "./report-text.js";

/** Runs `asi validate`, which prints for each recording whether it is complete. */
export function validate(args: string[], flags: InspectFlags, context: Context): Promise<ExitStatus> {
  checkDecodeOptions(flags);
  return runBatch<Inspection>(context, {
    inputs: findInputs(args, flags),
    json: flags.json === true,
    outcome: "whole",
    work: (input, _, onProgress) =>
      inspect(openInput(input, onProgress), { serial: flags.serial, signal: context.signal }),
    show: ({ report }, input) => context.console.data(`${nameOf(input)}: ${verdictText(report)}\n`),
    toJson: ({ info, report }) => ({ isWhole: !isDamaged(report), info, report }),
    statusOf: ({ report }) => statusOf(report),
  });
}

const KINDS: Record<DamagePlace["kind"], string> = {
  badChecksums: "bad checksum",
  overlong: "overlong frame",
  overruns: "overrun",
};

function verdictText(report: Report): string {
  const { bytes, rows, firstDamage } = report;
  const times = timeTexts(report)
    .map((text) => `; ${text}`)
    .join("");
  const skipped =
    bytes.skipped === 0
      ? ""
      : `, ${count(bytes.skipped, isDamaged(report) ? "byte" : "foreign byte")} skipped`;
  if (firstDamage === undefined) return `whole, ${count(rows.total, "row")}${skipped}${times}`;
  return `damaged, first at byte ${firstDamage.byteOffset} (${KINDS[firstDamage.kind]}): ${damageText(report)}${skipped}, ${count(rows.total, "row")} readable${times}`;
}
