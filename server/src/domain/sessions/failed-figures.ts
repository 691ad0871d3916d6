import { and, eq, gt } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { failedFigures } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { AFTER_FAILURE_MS } from "../computed-data/queue.js";

/** A player in a session, and the inputs of the figures. */
interface Attempt {
  sessionId: number;
  athleteId: number;
  inputs: string;
}

/** Records that a job could not compute the figures of a player. */
export async function recordFailure(
  { queries, clock }: Context,
  { inputs, ...player }: Attempt,
): Promise<void> {
  const row = { inputs, failedAt: clock.now() };
  await queries
    .insert(failedFigures)
    .values({ ...player, ...row })
    .onConflictDoUpdate({ target: [failedFigures.sessionId, failedFigures.athleteId], set: row });
}

/** Call it when the figures of a player have been stored. */
export async function forgetFailure(
  queries: Queries,
  { sessionId, athleteId }: Omit<Attempt, "inputs">,
): Promise<void> {
  await queries
    .delete(failedFigures)
    .where(and(eq(failedFigures.sessionId, sessionId), eq(failedFigures.athleteId, athleteId)));
}

/** Returns, by athlete, the inputs from which a job could not compute figures in the last hour. */
export async function recentFailures(
  { queries, clock }: Context,
  sessionId: number,
): Promise<ReadonlyMap<number, string>> {
  const rows = await queries
    .select({ athleteId: failedFigures.athleteId, inputs: failedFigures.inputs })
    .from(failedFigures)
    .where(
      and(
        eq(failedFigures.sessionId, sessionId),
        gt(failedFigures.failedAt, new Date(clock.now().getTime() - AFTER_FAILURE_MS)),
      ),
    );
  return new Map(rows.map(({ athleteId, inputs }) => [athleteId, inputs]));
}
