import { AsiError } from "../errors.js";
import { MAX_DAYS } from "../metrics/compute-metrics.js";

const DAY_MS = 86_400_000;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/**
 * Refuses a recording that is too long for figures. A receiver without a fix uses the date of its last start, so the first rows may be
 * dated years too early.
 *
 * @param extent times of the first and the last row, ms since 1970 UTC
 * @throws AsiError `BAD_ARGUMENT`
 */
export function refuseWrongDates({ startMs, endMs }: { startMs: number; endMs: number }): void {
  if (endMs - startMs <= MAX_DAYS * DAY_MS) return;
  throw new AsiError(
    "BAD_ARGUMENT",
    `The rows are from ${dateOf(startMs)} to ${dateOf(endMs)}, so some have a wrong date. Keep the others with asi convert --from.`,
  );
}
