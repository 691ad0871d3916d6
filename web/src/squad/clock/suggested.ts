import { nameKey, type SessionPeriod, type SuggestedPeriod } from "asi-convert/squad";
import { extentOf } from "./period-lanes.js";

/** A suggested period exists already if a period has the same name, or overlaps it by this share of both. */
const SAME_SHARE = 0.5;

export function missingIn(
  periods: readonly SessionPeriod[],
  suggested: readonly SuggestedPeriod[],
): readonly SuggestedPeriod[] {
  const isThere = (one: SuggestedPeriod) =>
    periods.some((period) => {
      if (nameKey(period.name) === nameKey(one.name)) return true;
      const extent = extentOf(period);
      if (extent === null) return false;
      const sharedMs = Math.min(extent.endMs, one.endMs) - Math.max(extent.startMs, one.startMs);
      return sharedMs >= SAME_SHARE * Math.max(extent.endMs - extent.startMs, one.endMs - one.startMs);
    });
  return suggested.filter((one) => !isThere(one));
}
