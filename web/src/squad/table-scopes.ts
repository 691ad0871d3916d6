import { matchOf, type SessionPeriod } from "asi-convert/squad";
import type { Scope } from "./scope.js";

/** Returns the match, if there are halves, and the periods. Files and reports show their tables after the table of the session. */
export function tableScopes(periods: readonly SessionPeriod[]): Scope[] {
  return [
    ...(matchOf(periods, []) === null ? [] : [{ kind: "match" } as const]),
    ...periods.map(({ name }) => ({ kind: "period", name }) as const),
  ];
}
