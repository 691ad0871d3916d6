import { type SQL, sql } from "drizzle-orm";
import { type Interval, millisecondsOf } from "../../store/samples/index.js";
import { type ChangeKind, changes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/*
 * The change log lists what each account must read again (docs/warehouse.md). A row contains no data. It only means
 * "read this object again": an unnecessary row costs the reader a request, and a missing row is an error.
 *
 * Rows are written in the transaction of the change, for the accounts that can read the object or lose access to it.
 * They contain the id of the transaction, because a number from a sequence can become visible after a higher one; see
 * `read-log.ts`.
 */

/** Columns of a change to an object, beside `account_id` and `object_id`. */
const OBJECT = sql`0 AS day, NULL::bigint AS from_ms, NULL::bigint AS to_ms`;

/** Whether the account exists and can read rows. Managed athletes never sign in, and a session or a squad can have hundreds of them. */
export const canRead = (accountId: SQL): SQL =>
  sql`(SELECT managed_by IS NULL FROM accounts WHERE id = ${accountId})`;

/** @param rows the columns `account_id`, `object_id`, `day`, `from_ms`, `to_ms`; each object once for an account */
async function record({ queries, now }: UnitOfWork, kind: ChangeKind, rows: SQL): Promise<void> {
  // Write in the order of the key, because concurrent changes would otherwise deadlock.
  await queries.execute(sql`
    INSERT INTO ${changes} AS known (account_id, kind, object_id, day, from_ms, to_ms, xid, changed_at)
    SELECT account_id, ${kind}::text, object_id, day, from_ms, to_ms, pg_current_xact_id(), ${now}::timestamptz FROM (${rows}) AS changed
    WHERE ${canRead(sql`changed.account_id`)} ORDER BY account_id, object_id, day
    ON CONFLICT (account_id, kind, object_id, day) DO UPDATE SET xid = excluded.xid, seq = excluded.seq,
      changed_at = excluded.changed_at, from_ms = least(known.from_ms, excluded.from_ms), to_ms = greatest(known.to_ms, excluded.to_ms)`);
}

/** @param rows the columns `account_id` and `object_id` */
export const recordObjects = (unit: UnitOfWork, kind: ChangeKind, rows: SQL): Promise<void> =>
  record(unit, kind, sql`SELECT DISTINCT account_id, object_id, ${OBJECT} FROM (${rows}) AS concerned`);

/** Use a literal, which takes the type of the other operand. */
const DAY_MS = sql.raw("86400000::bigint");

const msOf = (time: SQL) => sql`(extract(epoch FROM ${time}) * 1000)::bigint`;

/** A device, and closed intervals with changed samples. */
interface ChangedSamples {
  deviceId: number;
  times: readonly Interval[];
}

/** Records one row for each day. @param parts the columns `account_id`, `object_id` and `part`, a range of ms */
const recordParts = (unit: UnitOfWork, parts: SQL): Promise<void> =>
  record(
    unit,
    "samples",
    sql`SELECT account_id, object_id, day, min(greatest(lower(part), day * ${DAY_MS})) AS from_ms,
        max(least(upper(part), (day + 1) * ${DAY_MS})) AS to_ms
      FROM (${parts}) AS parts CROSS JOIN LATERAL
        generate_series(floor(lower(part) / ${DAY_MS}::numeric)::integer, floor((upper(part) - 1) / ${DAY_MS}::numeric)::integer) AS day
      GROUP BY account_id, object_id, day`,
  );

/**
 * Records that samples were stored or removed. Every manager must read again the times during which the manager owned
 * the device. A device may have been taken ten thousand times, so the times of each manager are united before they are compared.
 */
export async function recordSamples(unit: UnitOfWork, { deviceId, times }: ChangedSamples): Promise<void> {
  if (times.length === 0) return;
  await recordParts(
    unit,
    sql`SELECT account_id, ${deviceId}::bigint AS object_id, unnest(times * range_agg(owned)) AS part
      FROM (SELECT manager_id AS account_id, int8range(${msOf(sql`start_time`)}, ${msOf(sql`end_time`)}) AS owned
        FROM ownerships WHERE device_id = ${deviceId}) AS ownerships
      CROSS JOIN (SELECT ${millisecondsOf(times)} AS times) AS changed WHERE times && owned
      GROUP BY account_id, times`,
  );
}

/** Records that samples were removed from times that the manager no longer owns. */
export async function recordLostSamples(
  unit: UnitOfWork,
  managerId: number,
  { deviceId, times }: ChangedSamples,
): Promise<void> {
  if (times.length === 0) return;
  await recordParts(
    unit,
    sql`SELECT ${managerId}::bigint AS account_id, ${deviceId}::bigint AS object_id, unnest(${millisecondsOf(times)}) AS part`,
  );
}

/** @param pairs a few hundred at most; otherwise use `recordAll` */
export async function recordPairs(
  unit: UnitOfWork,
  kind: ChangeKind,
  pairs: readonly { accountId: number; objectId: number }[],
): Promise<void> {
  if (pairs.length === 0) return;
  await recordObjects(
    unit,
    kind,
    sql`SELECT * FROM unnest(${sql.param(pairs.map(({ accountId }) => accountId))}::bigint[],
      ${sql.param(pairs.map(({ objectId }) => objectId))}::bigint[]) AS pair (account_id, object_id)`,
  );
}

/** Records that the role of accounts in a squad has changed. */
export const recordRoles = (
  unit: UnitOfWork,
  roles: readonly { accountId: number; squadId: number }[],
): Promise<void> =>
  recordPairs(
    unit,
    "squad",
    roles.map(({ accountId, squadId }) => ({ accountId, objectId: squadId })),
  );
