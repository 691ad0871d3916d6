/** Actions of the list of problems. */
import { batch } from "@preact/signals";
import type { SquadPlayer, SquadSession } from "./squad-session.js";

/** Assigns a tracker to a player of the roster. */
export function nameTracker({ trackerNames }: SquadSession, player: string, serial: string): void {
  trackerNames.value = new Map([...trackerNames.peek(), [player, serial]]);
}

/** Gives each recording of a player except the first a separate row. */
export function keepApart({ keptApart }: SquadSession, { recordings, leftOut }: SquadPlayer): void {
  const others = [...recordings.slice(1), ...leftOut].map(({ id }) => id);
  keptApart.value = new Set([...keptApart.peek(), ...others]);
}

/** Shows the session of a recording, with its own changes to periods. */
export function showSession(session: SquadSession, recordingId: number): void {
  batch(() => {
    session.sessionOf.value = recordingId;
    session.scope.value = { kind: "session" };
    session.zoom.value = null;
    session.cursorMs.value = null;
  });
}
