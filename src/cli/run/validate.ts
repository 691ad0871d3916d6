import { inspect } from "../../api/inspect.js";
import { count } from "../../pictures/figure-text.js";
import { checkDecodeOptions } from "../../reading/decode-options.js";
import { type DamagePlace, watchForDamage } from "../../reading/first-damage.js";
import type { Inspection } from "../../reading/read-result.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, nameOf, openInput } from "../batch/inputs.js";
import { type ExitStatus, isDamaged, statusOf } from "../terminal/exit-status.js";
import type { InspectFlags } from "./inspect-inputs.js";
import { damageText, timeTexts } from "./report-text.js";

interface Verdict {
  inspection: Inspection;
  firstDamage: DamagePlace | null;
}

/** `asi validate`: whether recordings are whole; a line for each. */
export function validate(args: string[], flags: InspectFlags, context: Context): Promise<ExitStatus> {
  checkDecodeOptions(flags);
  return runBatch<Verdict>(context, {
    inputs: findInputs(args, flags),
    json: flags.json === true,
    outcome: "whole",
    async work(input, _, onProgress) {
      const { chunks, firstDamage } = watchForDamage(openInput(input, onProgress));
      const inspection = await inspect(chunks, { serial: flags.serial, signal: context.signal });
      return { inspection, firstDamage: firstDamage() };
    },
    show: (verdict, input) => context.console.data(`${nameOf(input)}: ${verdictText(verdict)}\n`),
    toJson: ({ inspection: { info, report }, firstDamage }) => ({
      isWhole: !isDamaged(report),
      firstDamage,
      info,
      report,
    }),
    statusOf: ({ inspection }) => statusOf(inspection.report),
  });
}

const KINDS: Record<DamagePlace["kind"], string> = {
  badChecksums: "bad checksum",
  overlong: "overlong frame",
  overruns: "overrun",
};

function verdictText({ inspection: { report }, firstDamage }: Verdict): string {
  const { bytes, rows } = report;
  const times = timeTexts(report)
    .map((text) => `; ${text}`)
    .join("");
  const skipped =
    bytes.skipped === 0
      ? ""
      : `, ${count(bytes.skipped, isDamaged(report) ? "byte" : "foreign byte")} skipped`;
  if (firstDamage === null) return `whole, ${count(rows.total, "row")}${skipped}${times}`;
  return `damaged, first at byte ${firstDamage.byteOffset} (${KINDS[firstDamage.kind]}): ${damageText(report)}${skipped}, ${count(rows.total, "row")} readable${times}`;
}
