import { isDeepStrictEqual } from "node:util";
import type { Timeframe } from "./rules.js";

/** Returns a time frame before and after a change for the audit log, without unchanged parameters. */
export function timeframeAudit(before: Timeframe, after: Timeframe) {
  const hasSameParams = isDeepStrictEqual(after.params, before.params);
  const view = ({ params, ...rest }: Timeframe) => (hasSameParams ? rest : { ...rest, params });
  return [view(before), view(after)] as const;
}
