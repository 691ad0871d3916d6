import { eq } from "drizzle-orm";
import type { Turn } from "../../store/queue/turn.js";
import { activities, sessions } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { ServiceError } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { nextOf, type QueuedDerivation, queueRest } from "./derive-sessions.js";
import { deriveTimeframes, removeOutdatedTimeframes } from "./derive-timeframes.js";
import { type Session, selectSessions, toSession } from "./rules.js";
import { TimeframeRoom } from "./timeframe-room.js";

/** Maximum number of ids in a result, because a job can refuse thousands of sessions. */
const MAX_REFUSED = 100;

interface Derived {
  sessions: number;
  /** Ids of the first sessions without some of their time frames, because they would exceed a limit. */
  refused: number[];
  /** Whether another job continues. */
  continues: boolean;
}

/**
 * Derives the time frames of the sessions, one session per transaction, until the turn is over. May run again after an
 * interruption.
 */
export async function deriveSessions(ctx: Context, queued: QueuedDerivation, turn: Turn): Promise<Derived> {
  const refused: number[] = [];
  const room = new TimeframeRoom();
  let count = 0;
  for (let left: QueuedDerivation | undefined = queued; left !== undefined; count++) {
    const rest: QueuedDerivation = left;
    const next = await nextOf(ctx.queries, rest);
    if (next === undefined) break;
    if (count > 0 && turn.isOver) {
      await transact(ctx, "derive sessions", (unit) => queueRest(unit, rest));
      return { sessions: count, refused, continues: true };
    }
    const { id } = next;
    left = next.left;
    if (!(await changeWithinLimits(ctx, id, room, deriveTimeframes))) {
      await changeWithinLimits(ctx, id, room, removeOutdatedTimeframes);
      if (refused.length < MAX_REFUSED) refused.push(id);
    }
  }
  return { sessions: count, refused, continues: false };
}

/** Changes a session in a transaction. @returns false, and changes nothing, if a limit prevents it */
async function changeWithinLimits(
  ctx: Context,
  id: number,
  room: TimeframeRoom,
  change: (unit: UnitOfWork, session: Session, room: TimeframeRoom) => Promise<void>,
): Promise<boolean> {
  try {
    await transact(ctx, "derive sessions", async (unit) => {
      const [row] = await selectSessions(unit.queries)
        .where(eq(sessions.activityId, id))
        .for("no key update", { of: [activities, sessions] });
      if (row !== undefined) await change(unit, toSession(row), room);
    });
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === "conflict") return false;
    throw error;
  }
}
