import type { Report } from "asi-convert";

/** Whether a recording has invalid frames. */
export function isDamaged({ damage }: Report): boolean {
  return damage.badChecksums + damage.overlong + damage.overruns > 0;
}
