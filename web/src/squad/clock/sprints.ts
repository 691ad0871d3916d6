import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ReadingError } from "../../recording/calls.js";
import { oneAtATime } from "../../view/latest.js";
import type { SquadSession } from "../squad-session.js";

/** Data for strips, from the figures of the whole session. */
export interface SessionSprints {
  /** The starts of sprints by keys of players, ms since 1970 UTC. */
  startsMs: ReadonlyMap<string, readonly number[]>;
  /** Figures exclude rows that are faster than this, mm/s. */
  limitMmPerS: number;
}

const NONE: SessionSprints = { startsMs: new Map(), limitMmPerS: Number.POSITIVE_INFINITY };

/** Returns the sprints of the session, which are empty until they are computed. `follow` recomputes them after a change to their inputs. */
export function sessionSprints(session: SquadSession): {
  sprints: ReadonlySignal<SessionSprints>;
  follow: () => void;
} {
  const sprints: Signal<SessionSprints> = signal(NONE);
  const follow = oneAtATime(async () => {
    try {
      const rows = await session.rowsOf({ kind: "session" });
      const limit = rows.find(({ metrics }) => metrics !== null)?.metrics?.definition.parameters
        .max_valid_speed;
      sprints.value = {
        startsMs: new Map(
          rows.map(({ member, metrics }) => [
            member.key,
            metrics?.sprint.threshold_1.values.map(({ start_time }) => start_time) ?? [],
          ]),
        ),
        limitMmPerS: limit === undefined ? Number.POSITIVE_INFINITY : limit * 1000,
      };
    } catch (error) {
      // the session was closed in the meantime
      if (!(error instanceof ReadingError)) throw error;
    }
  });
  return { sprints, follow };
}
