import { matchOf, type SessionPeriod } from "asi-convert/squad";
import type { Scope } from "./scope.js";

/** The match, if there are halves, and the periods: the tables of files and reports after that of the session. */
export function tableScopes(periods: readonly SessionPeriod[]): Scope[] {
  return [
    ...(matchOf(periods, []) === null ? [] : [{ kind: "match" } as const]),
    ...periods.map(({ name }) => ({ kind: "period", name }) as const),
  ];
}
