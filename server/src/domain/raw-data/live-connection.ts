import { randomUUID } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { preparedOnce } from "../../store/connection/database.js";
import { liveConnections } from "../../store/schema.js";
import type { Context } from "../change/context.js";

/**
 * Target that a connection follows: `device 1`, `squad 1`, `session 1` or `devices`. A user has one connection for each
 * target.
 */
export type LiveTarget = `${"device" | "squad" | "session"} ${number}` | "devices";

const connectionOf = preparedOnce((queries) =>
  queries
    .select({ connection: liveConnections.connection })
    .from(liveConnections)
    .where(
      and(
        eq(liveConnections.accountId, sql.placeholder("account")),
        eq(liveConnections.target, sql.placeholder("target")),
      ),
    )
    .prepare("connection_of"),
);

/**
 * Registers a new connection of the caller. An earlier connection to the same target ends at its next poll, in any process.
 * @returns id of the connection
 */
export async function openLiveConnection({ queries, caller }: Context, target: LiveTarget): Promise<string> {
  const connection = randomUUID();
  await queries
    .insert(liveConnections)
    .values({ accountId: caller?.id ?? 0, target, connection })
    .onConflictDoUpdate({ target: [liveConnections.accountId, liveConnections.target], set: { connection } });
  return connection;
}

/** Whether no newer connection has replaced this one. */
export async function isNewest(
  { queries, caller }: Context,
  target: LiveTarget,
  connection: string,
): Promise<boolean> {
  const [newest] = await connectionOf(queries).execute({ account: caller?.id ?? 0, target });
  return newest?.connection === connection;
}

export async function closeLiveConnection({ queries, caller }: Context, connection: string): Promise<void> {
  await queries
    .delete(liveConnections)
    .where(and(eq(liveConnections.accountId, caller?.id ?? 0), eq(liveConnections.connection, connection)));
}
