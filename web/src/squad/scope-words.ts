import type { ReadonlySignal } from "@preact/signals";
import type { SessionPeriod } from "asi-convert/squad";
import { halvesIn, type Scope } from "./scope.js";
import type { SquadPlayer } from "./squad-player.js";

/** Returns the name of a scope. */
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

/** Returns the number of players as text. An unreadable file also counts as one. */
export function playersText(players: readonly SquadPlayer[]): string {
  return players.length === 1 ? "1 player" : `${players.length} players`;
}

/** Returns the name of a session. For files, a session with halves is a match. */
export const sessionName = ({ stored, periods }: NamedSession): string =>
  stored?.title ?? (halvesIn(periods.value).length > 0 ? "Match" : "Session");

interface NamedSession {
  stored: { title: string } | null;
  periods: ReadonlySignal<readonly SessionPeriod[]>;
}
