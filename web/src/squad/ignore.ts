import type { Ignored } from "./ignored.js";
import type { SquadSession } from "./squad-session.js";

/** Dismisses a problem or a suggestion. */
export function ignore({ ignored }: SquadSession, dismissed: Ignored): void {
  ignored.value = [...ignored.peek(), dismissed];
}
