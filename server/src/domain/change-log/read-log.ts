import { type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { type ChangeKind, changes, PRUNED } from "../../store/schema.js";
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
  /** Whether there may be more after `next`. */
  hasMore: boolean;
  /** Position after these changes. */
  next: Position;
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

interface Row {
  xid: string;
  seq: number;
  kind: ChangeKind | typeof PRUNED;
  object_id: number;
  from_ms: number;
  to_ms: number;
  is_last: boolean;
}

interface State {
  below: string;
  has_own: boolean;
  has_given: boolean;
  is_pruned: boolean;
  page: Row[];
}

/**
 * Number of changes that one request looks through. A token may read only some kinds, so there can be any number of others before
 * its next change.
 */
const LOOKED_THROUGH = 5_000;

/**
 * Reads changes in the order of their transactions. A transaction can begin before another one and end after it. Therefore, only
 * changes of transactions before the oldest running transaction are listed, because no further change can appear among them. A
 * later change to the same object moves its row to the end. A single statement reads everything from one snapshot. The page also
 * contains the last change that was looked through, of any kind.
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
      EXISTS (SELECT FROM epochs WHERE pruned_through >= ${after.xid}::xid8) OR coalesce((
        SELECT ${isAfter(after)} FROM ${changes} WHERE account_id = ${accountId} AND kind = ${PRUNED} AND object_id = 0 AND day = 0
      ), false) AS is_pruned,
      coalesce((SELECT json_agg(page) FROM (
        SELECT xid::text, seq, kind, object_id, from_ms, to_ms, place = ${LOOKED_THROUGH} AS is_last FROM (
          SELECT *, row_number() OVER (ORDER BY xid, seq) AS place FROM ${changes}
          WHERE account_id = ${accountId} AND ${isAfter(after)} AND xid < pg_snapshot_xmin(pg_current_snapshot())
          ORDER BY xid, seq LIMIT ${LOOKED_THROUGH}
        ) AS next WHERE kind = ANY(${sql.param([...kinds])}::text[]) OR place = ${LOOKED_THROUGH}
        ORDER BY next.xid, seq LIMIT ${limit + 1}
      ) AS page), '[]') AS page`);
  const [state] = rows;
  if (state === undefined) throw new Error("No state of the changes");
  const page = state.page.slice(0, limit);
  const end = { xid: state.below, seq: 0 };
  const last = page.at(-1);
  const hasMore = last !== undefined && (last.is_last || state.page.length > limit);
  return {
    changes: page.flatMap(({ kind, ...row }) =>
      kind !== PRUNED && kinds.includes(kind)
        ? [
            {
              xid: row.xid,
              seq: row.seq,
              kind,
              objectId: row.object_id,
              fromMs: row.from_ms,
              toMs: row.to_ms,
            },
          ]
        : [],
    ),
    hasMore,
    next: hasMore ? { xid: last.xid, seq: last.seq } : end,
    end,
    hasOwn: state.has_own,
    hasGiven: state.has_given,
    isPruned: state.is_pruned,
  };
}

const isAfter = ({ xid, seq }: Position): SQL => sql`(xid, seq) > (${xid}::xid8, ${seq}::bigint)`;
