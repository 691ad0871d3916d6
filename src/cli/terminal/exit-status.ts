import type { Report } from "../../types.js";

/** Exit statuses of the command. They are part of its interface. */
export const ExitStatus = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  /** Success, but an input was damaged. */
  doneWithDamage: 3,
} as const;

export type ExitStatus = (typeof ExitStatus)[keyof typeof ExitStatus];

/** Returns whether an invalid frame was found (docs/recording-format.md, "Reading", rule 7). */
export function isDamaged({ damage }: Report): boolean {
  return damage.badChecksums + damage.overlong + damage.overruns > 0;
}

export function statusOf(report: Report): ExitStatus {
  return isDamaged(report) ? ExitStatus.doneWithDamage : ExitStatus.done;
}

/** Returns the status of a batch: `failed` if an input failed, otherwise `damaged` if an input was damaged. */
export function statusOfAll(statuses: readonly ExitStatus[]): ExitStatus {
  const gravest = [ExitStatus.wrongUsage, ExitStatus.failed, ExitStatus.doneWithDamage];
  return gravest.find((status) => statuses.includes(status)) ?? ExitStatus.done;
}
