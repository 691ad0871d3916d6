import type { SessionPeriod } from "asi-convert/squad";
import { halvesIn, type Scope } from "./scope.js";

/** What a scope is called. */
export function captionOf(scope: Scope): string {
  switch (scope.kind) {
    case "session":
      return "Session";
    case "match":
      return "Match";
    case "period":
      return scope.name;
    case "brush":
      return "Selection";
  }
}

/** What a session is called: a match if it has halves. */
export const sessionName = (periods: readonly SessionPeriod[]): string =>
  halvesIn(periods).length > 0 ? "Match" : "Session";
