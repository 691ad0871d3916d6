import { and, getTableName, is, lte, not, type SQL, sql, Table } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { eraseOrphanedMails } from "../domain/accounts/mail-folder.js";
import type { Context } from "../domain/change/context.js";
import { IDEMPOTENCY_LIFETIME_MS } from "../domain/change/idempotency.js";
import { pruneChanges, pruneEpochs, pruneSurplus } from "../domain/change-log/prune.js";
import { hasChanges } from "../domain/recording-streams/changed-times.js";
import { continueRotation } from "../domain/secrets/key-rotation.js";
import type { Queries } from "../store/connection/database.js";
import { vacuumAll } from "../store/embedded/vacuum.js";
import { isUnusedSince } from "../store/queue/job-body.js";
import {
  accessTokens,
  auditLog,
  authorizationCodes,
  deviceCodes,
  idempotencyKeys,
  jobBodies,
  jobs,
  liveTickets,
  openidSignIns,
  passwordResets,
  previousWebhookSecrets,
  recordingStreams,
  refreshTokens,
  webhookDeliveries,
} from "../store/schema.js";
import { applySampleRetention } from "./sample-retention.js";
import { removeSurplusJobs } from "./surplus-jobs.js";

const DAY_MS = 86_400_000;

/** Lifetime of a recording without a job, longer than it takes to write the recording and add its job. */
const BODY_LIFETIME_MS = 3_600_000;

/** Time during which a device can learn that its code has expired. */
const DEVICE_CODE_KEPT_MS = 600_000;

/** Time during which a gateway can continue a recording. */
const STREAM_LIFETIME_MS = 7 * DAY_MS;

/** Lifetimes of counters, longer than the longest period of a throttle: an hour, or a day for emails. */
const LONGEST_THROTTLE_MS = 7_200_000;
const LONGEST_MAIL_THROTTLE_MS = DAY_MS + LONGEST_THROTTLE_MS;

/** Number of rows that one statement removes, small enough to hold their locks only briefly. */
const ROWS_PER_STATEMENT = 1000;

/**
 * Matches deliveries that will not be retried. The states are literals, because the partial index does not match parameters.
 */
const hasEnded = sql`${webhookDeliveries.state} IN ('delivered', 'failed')`;

/** Receives the table and the number of removed rows, or `samples` and the number of removed samples. */
export type OnRemoved = (kind: string, count: number) => void;

/** Kinds of `OnRemoved`. */
export const REMOVED_KINDS = [
  "access_tokens",
  "live_tickets",
  "refresh_tokens",
  "authorization_codes",
  "device_codes",
  "password_resets",
  "openid_sign_ins",
  "idempotency_keys",
  "jobs",
  "job_bodies",
  "recording_streams",
  "previous_webhook_secrets",
  "webhook_deliveries",
  "audit_log",
  "throttle_counters",
  "changes",
  "samples",
] as const;

/**
 * Removes expired rows and the emails of deleted accounts, and runs the effects of the removals. Any number of workers may run it
 * concurrently.
 * @param signal stops it after the current statement
 * @param vacuums whether to vacuum the embedded database
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
  await removeSurplusJobs(ctx, signal, (count) => onRemoved("jobs", count));
  await pruneEpochs(ctx);
  for (let count = ROWS_PER_STATEMENT; count === ROWS_PER_STATEMENT && !signal?.aborted; ) {
    count = await pruneChanges(ctx, ROWS_PER_STATEMENT);
    if (count > 0) onRemoved("changes", count);
  }
  await pruneSurplus(ctx, ROWS_PER_STATEMENT, signal, (count) => onRemoved("changes", count));
  if (!signal?.aborted) await eraseOrphanedMails(ctx, signal);
  if (!signal?.aborted) await continueRotation(ctx);
  // Run this last, because it fails while a sample server is unreachable.
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
  // Streams contain samples, so they are not kept longer than samples.
  const streamsBefore = ago(Math.min(STREAM_LIFETIME_MS, config.rawRetentionDays * DAY_MS));
  const jobsBefore = ago(config.jobRetentionDays * DAY_MS);
  /** Tables, their indexed time column, and the condition that expired rows meet. */
  const expired: [table: PgTable | SQL, time: SQL, condition: SQL | undefined][] = [
    // This table is first, because removing a token removes its tickets in the same statement.
    [liveTickets, sql`${liveTickets.expiresAt}`, lte(liveTickets.expiresAt, now)],
    [accessTokens, sql`${accessTokens.expiresAt}`, lte(accessTokens.expiresAt, now)],
    [refreshTokens, sql`${refreshTokens.expiresAt}`, lte(refreshTokens.expiresAt, now)],
    [authorizationCodes, sql`${authorizationCodes.expiresAt}`, lte(authorizationCodes.expiresAt, now)],
    // Expired codes are kept for some time, so that a device learns that its code has expired.
    [deviceCodes, sql`${deviceCodes.expiresAt}`, lte(deviceCodes.expiresAt, ago(DEVICE_CODE_KEPT_MS))],
    [passwordResets, sql`${passwordResets.expiresAt}`, lte(passwordResets.expiresAt, now)],
    [openidSignIns, sql`${openidSignIns.expiresAt}`, lte(openidSignIns.expiresAt, now)],
    [
      idempotencyKeys,
      sql`${idempotencyKeys.createdAt}`,
      lte(idempotencyKeys.createdAt, ago(IDEMPOTENCY_LIFETIME_MS)),
    ],
    [jobs, sql`${jobs.finishedAt}`, lte(jobs.finishedAt, jobsBefore)],
    [jobBodies, sql`${jobBodies.createdAt}`, isUnusedSince(ago(BODY_LIFETIME_MS))],
    [
      recordingStreams,
      sql`${recordingStreams.updatedAt}`,
      and(lte(recordingStreams.updatedAt, streamsBefore), not(hasChanges)),
    ],
    [
      previousWebhookSecrets,
      sql`${previousWebhookSecrets.expiresAt}`,
      lte(previousWebhookSecrets.expiresAt, now),
    ],
    [
      webhookDeliveries,
      sql`${webhookDeliveries.createdAt}`,
      and(hasEnded, lte(webhookDeliveries.createdAt, jobsBefore)),
    ],
    [auditLog, sql`${auditLog.at}`, lte(auditLog.at, ago(config.auditRetentionDays * DAY_MS))],
    // The throttles use the system clock.
    [sql`throttle_counters`, sql`expire`, sql`expire <= ${Date.now()}`],
    // Remove counters that were written while the clock was far ahead. They would expire too late.
    [
      sql`throttle_counters`,
      sql`expire`,
      sql`expire > ${Date.now() + LONGEST_THROTTLE_MS} AND
        (key !~ '^(registrationMail|accountMail|resetMail):' OR expire > ${Date.now() + LONGEST_MAIL_THROTTLE_MS})`,
    ],
  ];
  for (const [table, time, condition] of expired) {
    const name = is(table, Table) ? getTableName(table) : "throttle_counters";
    const removed = (count: number) => onRemoved(name, count);
    await removeInBatches(queries, sql`${table}`, time, condition, signal, removed);
  }
}

/**
 * Removes rows in separate statements, oldest first, by the index on the time. Skips rows that another process has locked; the
 * next run removes them.
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
