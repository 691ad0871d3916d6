import { and, getTableName, is, lte, type SQL, sql, Table } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { eraseOrphanedMails } from "../domain/accounts/mail-folder.js";
import type { Context } from "../domain/change/context.js";
import { IDEMPOTENCY_LIFETIME_MS } from "../domain/change/idempotency.js";
import { continueRotation } from "../domain/secrets/key-rotation.js";
import type { Queries } from "../store/connection/database.js";
import { vacuumAll } from "../store/embedded/vacuum.js";
import { isUnusedSince } from "../store/queue/job-body.js";
import {
  accessTokens,
  auditLog,
  authorizationCodes,
  idempotencyKeys,
  jobBodies,
  jobs,
  passwordResets,
  refreshTokens,
  webhookDeliveries,
} from "../store/schema.js";
import { applySampleRetention } from "./sample-retention.js";

const DAY_MS = 86_400_000;

/** Longer than the bytes of a job are written before it is there. */
const BODY_LIFETIME_MS = 3_600_000;

/** Longer than the longest time for which a throttle counts: an hour, and a day for the mails of registrations. */
const LONGEST_THROTTLE_MS = 7_200_000;
const LONGEST_MAIL_THROTTLE_MS = DAY_MS + LONGEST_THROTTLE_MS;

/** Rows that one statement removes, so that it holds their locks only briefly, however many have expired. */
const ROWS_PER_STATEMENT = 1000;

/** Matches deliveries that will not be tried again. The states are literals, because the partial index does not match parameters. */
const hasEnded = sql`${webhookDeliveries.state} IN ('delivered', 'failed')`;

/** Told how much was removed: the table and the number of its rows, or `samples` and their number. */
export type OnRemoved = (kind: string, count: number) => void;

/** The kinds of `OnRemoved`. */
export const REMOVED_KINDS = [
  "access_tokens",
  "refresh_tokens",
  "authorization_codes",
  "password_resets",
  "idempotency_keys",
  "jobs",
  "job_bodies",
  "webhook_deliveries",
  "audit_log",
  "throttle_counters",
  "samples",
] as const;

/**
 * Removes expired rows and the mails of deleted accounts, and does what follows from it. Any number of workers may do so at the
 * same time.
 * @param signal ends it after the current statement
 * @param vacuums whether the embedded database is vacuumed
 * @param onRemoved called after each statement or transaction that removed something
 */
export async function applyRetention(
  ctx: Context,
  {
    signal,
    vacuums = true,
    onRemoved = () => undefined,
  }: { signal?: AbortSignal; vacuums?: boolean; onRemoved?: OnRemoved } = {},
): Promise<void> {
  await removeExpired(ctx, signal, onRemoved);
  if (!signal?.aborted) await eraseOrphanedMails(ctx, signal);
  if (!signal?.aborted) await continueRotation(ctx);
  // After the rest of the database, because it fails while a sample server is unreachable.
  if (!signal?.aborted) await applySampleRetention(ctx, signal, onRemoved);
  if (vacuums && !signal?.aborted) await vacuumAll(ctx);
}

async function removeExpired(
  ctx: Context,
  signal: AbortSignal | undefined,
  onRemoved: OnRemoved,
): Promise<void> {
  const { queries, clock, config } = ctx;
  const now = clock.now();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const jobsBefore = ago(config.jobRetentionDays * DAY_MS);
  /** Tables, the times from which their rows expire, each with an index, and which rows have expired. */
  const expired: [table: PgTable | SQL, time: SQL, condition: SQL | undefined][] = [
    [accessTokens, sql`${accessTokens.expiresAt}`, lte(accessTokens.expiresAt, now)],
    [refreshTokens, sql`${refreshTokens.expiresAt}`, lte(refreshTokens.expiresAt, now)],
    [authorizationCodes, sql`${authorizationCodes.expiresAt}`, lte(authorizationCodes.expiresAt, now)],
    [passwordResets, sql`${passwordResets.expiresAt}`, lte(passwordResets.expiresAt, now)],
    [
      idempotencyKeys,
      sql`${idempotencyKeys.createdAt}`,
      lte(idempotencyKeys.createdAt, ago(IDEMPOTENCY_LIFETIME_MS)),
    ],
    [jobs, sql`${jobs.finishedAt}`, lte(jobs.finishedAt, jobsBefore)],
    [jobBodies, sql`${jobBodies.createdAt}`, isUnusedSince(ago(BODY_LIFETIME_MS))],
    [
      webhookDeliveries,
      sql`${webhookDeliveries.createdAt}`,
      and(hasEnded, lte(webhookDeliveries.createdAt, jobsBefore)),
    ],
    [auditLog, sql`${auditLog.at}`, lte(auditLog.at, ago(config.auditRetentionDays * DAY_MS))],
    // The throttles use the clock of the system.
    [sql`throttle_counters`, sql`expire`, sql`expire <= ${Date.now()}`],
    // Counted while the clock was far ahead: until then, nobody's counter would end.
    [
      sql`throttle_counters`,
      sql`expire`,
      sql`expire > ${Date.now() + LONGEST_THROTTLE_MS} AND
        (NOT starts_with(key, 'registrationMail:') OR expire > ${Date.now() + LONGEST_MAIL_THROTTLE_MS})`,
    ],
  ];
  for (const [table, time, condition] of expired) {
    const name = is(table, Table) ? getTableName(table) : "throttle_counters";
    const removed = (count: number) => onRemoved(name, count);
    await removeInBatches(queries, sql`${table}`, time, condition, signal, removed);
  }
}

/**
 * Removes rows in statements of their own, the oldest first, which the database finds by the index of their times. Rows that
 * another process has locked are left to the next run.
 */
async function removeInBatches(
  queries: Queries,
  table: SQL,
  time: SQL,
  condition: SQL | undefined,
  signal: AbortSignal | undefined,
  onRemoved: (count: number) => void,
): Promise<void> {
  while (!signal?.aborted) {
    const { rowCount } = await queries.execute(sql`
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE ${condition} ORDER BY ${time}
        LIMIT ${ROWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED
      ))`);
    if ((rowCount ?? 0) > 0) onRemoved(rowCount ?? 0);
    if ((rowCount ?? 0) < ROWS_PER_STATEMENT) return;
  }
}
