import { and, eq, sql } from "drizzle-orm";
import { sessionFigures } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { queueSessionFigures } from "../computed-data/queue.js";
import { FIGURES_VERSION } from "./figures-inputs.js";

/**
 * Marks the figures of a session as outdated and queues their computation after its times have changed, because figures of a time
 * frame that remains without the permission to write also depend on the length of the session.
 */
export async function outdateFigures(
  unit: UnitOfWork,
  session: { id: number; ownerId: number },
): Promise<void> {
  const { inputs, sessionId } = sessionFigures;
  await unit.queries
    .update(sessionFigures)
    .set({ inputs: sql`'-' || ${inputs}` })
    .where(and(eq(sessionId, session.id), sql`starts_with(${inputs}, ${`${FIGURES_VERSION}:`})`));
  await queueSessionFigures(unit, [session]);
}
