import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { lockInTransaction } from "../../store/connection/transaction-lock.js";
import { changeEpochs, changes } from "../../store/schema.js";
import { DAY_MS } from "../change/daily-bytes.js";

/*
 * Transaction numbers order the changes only within one history of one database. After a restore or a recovery to an
 * earlier time, a cursor could be ahead of the database, and its reader would miss changes. A cursor therefore contains
 * the epoch in which it was issued, and is valid only if the database contains this epoch:
 *
 * - `historyOf` differs in another database, and after a recovery or a failover, which begin another timeline.
 * - Each process begins its own epochs, one per day. Files of a stopped database that are copied
 * back do not contain later epochs.
 * - A restore by the service deletes all epochs.
 */

/** The service may lack the right to read the identifier of the database system. */
const histories = new WeakMap<Queries, SQL>();

const IN_SYSTEM = sql`(SELECT oid FROM pg_database WHERE datname = current_database()) || ' '
  || left(pg_walfile_name(pg_current_wal_lsn()), 8)`;

/** Identifies the database and its timeline, as an expression. */
export async function historyOf(queries: Queries): Promise<SQL> {
  const known = histories.get(queries);
  if (known !== undefined) return known;
  const { rows } = await queries.execute<{ is_permitted: boolean }>(
    sql`SELECT has_function_privilege('pg_control_system()', 'EXECUTE') AS is_permitted`,
  );
  const history = rows[0]?.is_permitted
    ? sql`(SELECT system_identifier::text FROM pg_control_system()) || ' ' || ${IN_SYSTEM}`
    : IN_SYSTEM;
  histories.set(queries, history);
  return history;
}

interface Epoch {
  id: string;
  begunMs: number;
}

/** Current epoch of this process, by database. */
const current = new WeakMap<Queries, Epoch>();

/** Returns the epoch of this process for new cursors; undefined if the process has begun none in the last day. */
export function currentEpoch(queries: Queries, nowMs: number): string | undefined {
  const epoch = current.get(queries);
  return epoch !== undefined && Math.abs(nowMs - epoch.begunMs) < DAY_MS ? epoch.id : undefined;
}

/** Number of rows that one statement deletes. */
const ROWS_AT_A_TIME = 10_000;

async function deleteAll(queries: Queries): Promise<void> {
  for (let count = ROWS_AT_A_TIME; count === ROWS_AT_A_TIME; ) {
    const { rowCount } = await queries.execute(sql`
      DELETE FROM ${changes} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${changes} WHERE changed_at <= 'infinity' ORDER BY changed_at LIMIT ${ROWS_AT_A_TIME}
      ))`);
    count = rowCount ?? 0;
  }
}

/** Begins an epoch. The first epoch of a history removes those of other histories. */
export async function beginEpoch(queries: Queries, now: Date): Promise<void> {
  const history = await historyOf(queries);
  const id = randomUUID();
  await queries.transaction(async (tx) => {
    await lockInTransaction(tx, "change_epochs");
    const { rows } = await tx.execute(sql`SELECT FROM ${changeEpochs} WHERE history = ${history} LIMIT 1`);
    if (rows.length === 0) await deleteAll(tx);
    await tx.execute(sql`DELETE FROM ${changeEpochs} WHERE history <> ${history}`);
    await tx.execute(sql`
      INSERT INTO ${changeEpochs} (id, history, pruned_through, begun_at)
      SELECT ${id}::uuid, ${history}, coalesce(
        (SELECT pruned_through FROM ${changeEpochs} ORDER BY pruned_through DESC LIMIT 1), '0'::xid8), ${now}`);
  });
  current.set(queries, { id, begunMs: now.getTime() });
}
