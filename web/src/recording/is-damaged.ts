import type { Facts } from "./recording.js";

/** Returns whether a recording has invalid frames, or a FIT file is only partly readable. */
export function isDamaged({ report, cutOff }: Pick<Facts, "report" | "cutOff">): boolean {
  if (cutOff !== null) return true;
  if (report === null) return false;
  const { badChecksums, overlong, overruns } = report.damage;
  return badChecksums + overlong + overruns > 0;
}
