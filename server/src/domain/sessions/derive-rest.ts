import { eq } from "drizzle-orm";
import { activities, sessions } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { ServiceError } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { type ChangedSessions, nextSession } from "./derive-sessions.js";
import { deriveTimeframes } from "./derive-timeframes.js";
import { selectSessions, toSession } from "./rules.js";

/**
 * Derives the time frames of the sessions, one session per transaction. May run again after an interruption.
 * @returns the number of sessions, and the ids of sessions that are unchanged because they would exceed a limit
 */
export async function deriveSessions(
  ctx: Context,
  changed: ChangedSessions,
): Promise<{ sessions: number; refused: number[] }> {
  const refused: number[] = [];
  let count = 0;
  for (let after = 0; ; count++) {
    const id = await nextSession(ctx.queries, changed, after);
    if (id === undefined) return { sessions: count, refused };
    try {
      await transact(ctx, "derive sessions", (unit) => deriveOne(unit, id));
    } catch (error) {
      if (!(error instanceof ServiceError && error.kind === "conflict")) throw error;
      refused.push(id);
    }
    after = id;
  }
}

async function deriveOne(unit: UnitOfWork, id: number): Promise<void> {
  const [row] = await selectSessions(unit.queries)
    .where(eq(sessions.activityId, id))
    .for("no key update", { of: [activities, sessions] });
  if (row !== undefined) await deriveTimeframes(unit, toSession(row));
}
