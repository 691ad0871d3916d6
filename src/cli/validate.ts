import { checkDecodeOptions } from "../decode-options.js";
import { type DamagePlace, watchForDamage } from "../first-damage.js";
import { inspect } from "../inspect.js";
import type { Inspection } from "../read-result.js";
import { type Context, runBatch } from "./batch.js";
import { type ExitStatus, isDamaged, statusOf } from "./exit-status.js";
import { findInputs, nameOf, openInput } from "./inputs.js";
import type { InspectFlags } from "./inspect-inputs.js";
import { count, damageText } from "./report-text.js";

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
  const skipped =
    bytes.skipped === 0
      ? ""
      : `, ${count(bytes.skipped, isDamaged(report) ? "byte" : "foreign byte")} skipped`;
  if (firstDamage === null) return `whole, ${count(rows.total, "row")}${skipped}`;
  return `damaged, first at byte ${firstDamage.byteOffset} (${KINDS[firstDamage.kind]}): ${damageText(report)}${skipped}, ${count(rows.total, "row")} readable`;
}
