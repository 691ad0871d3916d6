import { type StaticDecode, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import type { ChangeKind } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { CURSOR_LIMITS } from "../../wire/page-limits.js";
import type { Context } from "../change/context.js";
import { DAY_MS } from "../change/daily-bytes.js";
import { errors } from "../change/errors.js";
import { beginEpoch, currentEpoch } from "../change-log/history.js";
import { type LoggedChange, type LogPage, readLog } from "../change-log/read-log.js";
import { type ChangeCursor, ChangeCursorQuery, encodeChangeCursor, readerOf } from "./cursor.js";
import type { Change, Changes } from "./resource.js";
import { visibleIn } from "./visible.js";

export const ChangesQuery = Type.Object({ cursor: ChangeCursorQuery, limit: CursorQuery.limit });

const OF_SAMPLES: readonly ChangeKind[] = ["samples"];
const OF_SESSIONS: readonly ChangeKind[] = ["session", "figures", "squad", "athlete"];

/** Returns the kinds that the token can read. */
function kindsFor({ caller }: Context): readonly ChangeKind[] {
  const scopes = caller?.scopes ?? null;
  return [
    ...(scopes === null || scopes.includes("samples:read") ? OF_SAMPLES : []),
    ...(scopes === null || scopes.includes("sessions:read") ? OF_SESSIONS : []),
  ];
}

/** Reads the log, with an epoch for the next cursor. */
async function readCurrent(
  ctx: Context,
  kinds: readonly ChangeKind[],
  cursor: ChangeCursor | undefined,
  limit: number,
): Promise<LogPage & { epoch: string }> {
  const { queries, clock, caller } = ctx;
  for (;;) {
    const epoch = currentEpoch(queries, clock.now().getTime());
    const page = await readLog(queries, {
      accountId: caller?.id ?? 0,
      kinds,
      after: cursor ?? { xid: "0", seq: 0 },
      limit,
      ownEpoch: epoch,
      givenEpoch: cursor?.epoch,
    });
    if (epoch !== undefined && page.hasOwn) return { ...page, epoch };
    await beginEpoch(queries, clock.now());
  }
}

/** @throws ServiceError `cursor_expired`, `history_replaced` */
function requireValid(ctx: Context, { clockMs }: ChangeCursor, { hasGiven, isPruned }: LogPage): void {
  const { clock, config } = ctx;
  const isOld = clock.now().getTime() - clockMs >= config.changesRetentionDays * DAY_MS;
  if (isPruned || (!hasGiven && isOld)) {
    throw errors.gone(
      `Changes are kept for ${config.changesRetentionDays} days, and at most ${config.changesPerAccount} for each account. Read everything again, and start with a new cursor.`,
      "cursor_expired",
    );
  }
  if (!hasGiven) {
    throw errors.gone(
      "The cursor belongs to another database, or the database was restored. Read everything again, and start with a new cursor.",
      "history_replaced",
    );
  }
}

/** An athlete for whom a READ permission began or ended as scheduled, without a recorded change. */
interface ClockChange {
  athleteId: number;
  atMs: number;
}

async function clockChanges(
  { queries, caller }: Context,
  { clockMs, athleteId }: ChangeCursor,
  nowMs: number,
  limit: number,
): Promise<ClockChange[]> {
  const [after, now] = [new Date(clockMs), new Date(nowMs)];
  // Each branch reads one page from its index. Several permissions can have the same time, so each branch removes
  // duplicates before its limit.
  const times = (column: SQL) => sql`(
    SELECT DISTINCT ${column} AS at, athlete_id FROM permissions
    WHERE manager_id = ${caller?.id ?? 0} AND permission = 'READ'
      AND (${column}, athlete_id) > (${after}::timestamptz, ${athleteId}::bigint) AND ${column} <= ${now}
    ORDER BY at, athlete_id LIMIT ${limit})`;
  const { rows } = await queries.execute<{ athlete_id: string; ms: string }>(sql`
    SELECT athlete_id, (extract(epoch FROM at) * 1000)::bigint AS ms
    FROM (${times(sql`start_time`)} UNION ${times(sql`expiration_time`)}) AS times
    ORDER BY at, athlete_id LIMIT ${limit}`);
  return rows.map((row) => ({ athleteId: Number(row.athlete_id), atMs: Number(row.ms) }));
}

/**
 * Returns the position at which the next request continues.
 * @param last last change caused by time, if there may be
 * more
 */
function nextClock(
  { clockMs, athleteId }: ChangeCursor,
  nowMs: number,
  last: ClockChange | undefined,
): Pick<ChangeCursor, "clockMs" | "athleteId"> {
  if (last !== undefined) return { clockMs: last.atMs, athleteId: last.athleteId };
  // The clocks of two processes may differ.
  return nowMs > clockMs ? { clockMs: nowMs, athleteId: 0 } : { clockMs, athleteId };
}

const asLogged = ({ athleteId }: ClockChange): LoggedChange => ({
  xid: "0",
  seq: 0,
  kind: "athlete",
  objectId: athleteId,
  fromMs: null,
  toMs: null,
});

const instant = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/**
 * Returns the objects that the caller must read again since the cursor; none without a cursor. A change does not
 * include the content, so it is harmless to list a change twice or late.
 * @throws ServiceError `cursor_expired`, `history_replaced`, `cursor_of_another_token`
 */
export async function listChanges(
  ctx: Context,
  { cursor, limit = CURSOR_LIMITS.default }: StaticDecode<typeof ChangesQuery>,
): Promise<Changes> {
  const kinds = kindsFor(ctx);
  const reader = readerOf(ctx.caller?.id ?? 0, kinds);
  if (cursor !== undefined && cursor.reader !== reader) {
    // The next cursor would be after changes that this token cannot read, so the other token would never get them.
    throw errors.conflict(
      "cursor_of_another_token",
      "The cursor was issued to another account, or to a token with other scopes. Use a token of that kind, or read everything again and start without a cursor.",
    );
  }
  const nowMs = ctx.clock.now().getTime();
  const page = await readCurrent(ctx, kinds, cursor, limit);
  const { epoch } = page;
  if (cursor === undefined)
    return answer([], { epoch, ...page.end, clockMs: nowMs, athleteId: 0, reader }, false);
  requireValid(ctx, cursor, page);
  const byClock = kinds.includes("athlete") ? await clockChanges(ctx, cursor, nowMs, limit) : [];
  const lastByClock = byClock.length === limit ? byClock.at(-1) : undefined;
  const clock = nextClock(cursor, nowMs, lastByClock);
  const logged = page.changes.slice(0, limit - byClock.length);
  const isCut = logged.length < page.changes.length;
  const hasMore = page.hasMore || isCut || lastByClock !== undefined;
  const { xid, seq } = isCut ? (logged.at(-1) ?? cursor) : page.next;
  const listed = [...byClock.map(asLogged), ...logged];
  const isVisible = await visibleIn(ctx, listed);
  const results = listed.map((change) => ({
    kind: change.kind,
    id: change.objectId,
    from: instant(change.fromMs),
    to: instant(change.toMs),
    removed: !isVisible(change),
  }));
  return answer(results, { ...cursor, ...clock, xid, seq, epoch }, hasMore);
}

const answer = (results: Change[], cursor: ChangeCursor, hasMore: boolean): Changes => ({
  results,
  next_cursor: encodeChangeCursor(cursor),
  has_more: hasMore,
});
