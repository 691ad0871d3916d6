import { and, getTableName, is, lte, type SQL, sql, Table } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { eraseOrphanedMails } from "../domain/accounts/mail-folder.js";
import type { Context } from "../domain/change/context.js";
import { IDEMPOTENCY_LIFETIME_MS } from "../domain/change/idempotency.js";
import { pruneChanges, pruneEpochs, pruneSurplus } from "../domain/change-log/prune.js";
import { deleteExpiredPieces, hasExpired } from "../domain/recording-streams/expired.js";
import { continueRotation } from "../domain/secrets/key-rotation.js";
import { nextRows } from "../store/connection/next-rows.js";
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
import { removeSurplusDeliveries } from "./surplus-deliveries.js";
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
  const removedChanges = (count: number) => onRemoved("changes", count);
  const steps: (() => Promise<unknown>)[] = [
    ...expiredRows(ctx, signal, onRemoved),
    () => removeSurplusJobs(ctx, signal, (count) => onRemoved("jobs", count)),
    () => pruneEpochs(ctx),
    async () => {
      for (let count = ROWS_PER_STATEMENT; count === ROWS_PER_STATEMENT && !signal?.aborted; ) {
        count = await pruneChanges(ctx, ROWS_PER_STATEMENT);
        if (count > 0) removedChanges(count);
      }
    },
    () => pruneSurplus(ctx, ROWS_PER_STATEMENT, signal, removedChanges),
    () => eraseOrphanedMails(ctx, signal),
    () => continueRotation(ctx),
    () => applySampleRetention(ctx, signal, onRemoved),
    // After the steps that must not wait, because it examines each webhook.
    () => removeSurplusDeliveries(ctx, signal, (count) => onRemoved("webhook_deliveries", count)),
    async () => {
      if (vacuums) await vacuumAll(ctx);
    },
  ];
  const failures: unknown[] = [];
  for (const step of steps) {
    if (signal?.aborted) break;
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, "Several parts of retention failed");
  if (failures.length > 0) throw failures[0];
}

/** Returns the functions that remove the expired rows of each table. */
function expiredRows(
  ctx: Context,
  signal: AbortSignal | undefined,
  onRemoved: OnRemoved,
): (() => Promise<void>)[] {
  const { clock, config } = ctx;
  const now = clock.now();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  // Streams contain samples, so they are not kept longer than samples.
  const streamsBefore = ago(Math.min(STREAM_LIFETIME_MS, config.rawRetentionDays * DAY_MS));
  const jobsBefore = ago(config.jobRetentionDays * DAY_MS);
  /** Tables, their indexed time column, the condition that expired rows meet, and a column with long values. */
  const expired: [table: PgTable | SQL, time: SQL, condition: SQL | undefined, long?: SQL][] = [
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
      sql`${idempotencyKeys.body}`,
    ],
    [jobs, sql`${jobs.finishedAt}`, lte(jobs.finishedAt, jobsBefore)],
    [jobBodies, sql`${jobBodies.createdAt}`, isUnusedSince(ago(BODY_LIFETIME_MS)), sql`${jobBodies.bytes}`],
    [recordingStreams, sql`${recordingStreams.updatedAt}`, hasExpired(streamsBefore)],
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
  return [
    () => deleteExpiredPieces(ctx, streamsBefore, signal),
    ...expired.map(([table, time, condition, long]) => async () => {
      const name = is(table, Table) ? getTableName(table) : "throttle_counters";
      const rows = { table: sql`${table}`, order: sql`ORDER BY ${time}`, condition, long };
      await removeInBatches(ctx, rows, signal, (count) => onRemoved(name, count));
    }),
  ];
}

/**
 * Removes rows in separate statements, oldest first, by the index on the time. Skips rows that another process has locked; the
 * next run removes them.
 */
async function removeInBatches(
  { queries }: Context,
  {
    table,
    condition,
    ...next
  }: { table: SQL; condition: SQL | undefined; order: SQL; long: SQL | undefined },
  signal: AbortSignal | undefined,
  onRemoved: (count: number) => void,
): Promise<void> {
  const limit = ROWS_PER_STATEMENT;
  const rows = nextRows(table, condition, { ...next, limit, lock: sql`FOR UPDATE SKIP LOCKED` });
  while (!signal?.aborted) {
    const { rowCount } = await queries.execute(sql`DELETE FROM ${table} WHERE ctid = ANY(${rows})`);
    const count = rowCount ?? 0;
    if (count > 0) onRemoved(count);
    if (next.long === undefined ? count < limit : count === 0) return;
  }
}
