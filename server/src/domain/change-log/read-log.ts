import { inArray, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { type ChangeKind, changes } from "../../store/schema.js";
import { historyOf } from "./history.js";

/** A position in the order of the changes, after the change with these values. */
export interface Position {
  /** Id of a transaction. */
  xid: string;
  seq: number;
}

export interface LoggedChange extends Position {
  kind: ChangeKind;
  objectId: number;
  fromMs: number | null;
  toMs: number | null;
}

export interface LogPage {
  changes: LoggedChange[];
  /** Whether there are more. */
  hasMore: boolean;
  /** Position after all changes that can be listed now. */
  end: Position;
  /** Whether the database contains the epochs of the process and of the cursor. */
  hasOwn: boolean;
  hasGiven: boolean;
  /** Whether changes after the position have been removed. */
  isPruned: boolean;
}

interface Wanted {
  accountId: number;
  kinds: readonly ChangeKind[];
  after: Position;
  limit: number;
  /** Epoch of this process, and of the cursor. */
  ownEpoch: string | undefined;
  givenEpoch: string | undefined;
}

interface State {
  below: string;
  has_own: boolean;
  has_given: boolean;
  is_pruned: boolean;
  page: { xid: string; seq: number; kind: ChangeKind; object_id: number; from_ms: number; to_ms: number }[];
}

/**
 * Reads changes in the order of their transactions. A transaction can begin before another one and end after it. Therefore, only
 * changes of transactions before the oldest running transaction are listed, because no further change can appear among them. A
 * later change to the same object moves its row to the end. A single statement reads everything from one snapshot.
 */
export async function readLog(
  queries: Queries,
  { accountId, kinds, after, limit, ownEpoch, givenEpoch }: Wanted,
): Promise<LogPage> {
  const history = await historyOf(queries);
  const { rows } = await queries.execute<State & Record<string, unknown>>(sql`
    WITH epochs AS MATERIALIZED (SELECT id, pruned_through FROM change_epochs WHERE history = ${history})
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS below,
      EXISTS (SELECT FROM epochs WHERE id = ${ownEpoch ?? null}::uuid) AS has_own,
      EXISTS (SELECT FROM epochs WHERE id = ${givenEpoch ?? null}::uuid) AS has_given,
      EXISTS (SELECT FROM epochs WHERE pruned_through >= ${after.xid}::xid8) AS is_pruned,
      coalesce((SELECT json_agg(page) FROM (
        SELECT xid::text, seq, kind, object_id, from_ms, to_ms FROM ${changes}
        WHERE account_id = ${accountId} AND (xid, seq) > (${after.xid}::xid8, ${after.seq}::bigint)
          AND xid < pg_snapshot_xmin(pg_current_snapshot()) AND ${inArray(changes.kind, [...kinds])}
        ORDER BY ${changes}.xid, seq LIMIT ${limit + 1}
      ) AS page), '[]') AS page`);
  const [state] = rows;
  if (state === undefined) throw new Error("No state of the changes");
  const page = state.page.map((row) => ({
    xid: row.xid,
    seq: row.seq,
    kind: row.kind,
    objectId: row.object_id,
    fromMs: row.from_ms,
    toMs: row.to_ms,
  }));
  return {
    changes: page.slice(0, limit),
    hasMore: page.length > limit,
    end: { xid: state.below, seq: 0 },
    hasOwn: state.has_own,
    hasGiven: state.has_given,
    isPruned: state.is_pruned,
  };
}
