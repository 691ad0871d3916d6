import { and, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Context } from "../domain/context.js";
import { IDEMPOTENCY_LIFETIME_MS } from "../domain/idempotency.js";
import type { Queries } from "../store/database.js";
import {
  accessTokens,
  auditLog,
  authorizationCodes,
  idempotencyKeys,
  jobs,
  passwordResets,
  refreshTokens,
  webhookDeliveries,
} from "../store/schema.js";
import { applySampleRetention } from "./sample-retention.js";
import { vacuumAllEmbedded } from "./vacuum.js";

const DAY_MS = 86_400_000;

/** Rows that one statement removes, so that it holds their locks only briefly, however many have expired. */
const ROWS_PER_STATEMENT = 1000;

/** Removes expired rows. Any number of workers may do so at the same time. */
export async function applyRetention(ctx: Context): Promise<void> {
  const { queries, clock, config } = ctx;
  const now = clock.now();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const expired: [PgTable, SQL | undefined][] = [
    [accessTokens, lte(accessTokens.expiresAt, now)],
    [refreshTokens, lte(refreshTokens.expiresAt, now)],
    [authorizationCodes, lte(authorizationCodes.expiresAt, now)],
    [passwordResets, lte(passwordResets.expiresAt, now)],
    [idempotencyKeys, lte(idempotencyKeys.createdAt, ago(IDEMPOTENCY_LIFETIME_MS))],
    [jobs, lte(jobs.finishedAt, ago(config.jobRetentionDays * DAY_MS))],
    [
      webhookDeliveries,
      and(
        inArray(webhookDeliveries.state, ["delivered", "failed"]),
        lte(webhookDeliveries.createdAt, ago(config.jobRetentionDays * DAY_MS)),
      ),
    ],
    [auditLog, lte(auditLog.at, ago(config.auditRetentionDays * DAY_MS))],
  ];
  for (const [table, condition] of expired) await removeInBatches(queries, sql`${table}`, condition);
  // The throttles use the clock of the system.
  await removeInBatches(queries, sql`throttle_counters`, sql`expire <= ${Date.now()}`);
  await applySampleRetention(ctx);
  await vacuumAllEmbedded(ctx);
}

/** Removes rows in statements of their own. Rows that another process has locked are left to the next run. */
async function removeInBatches(queries: Queries, table: SQL, condition: SQL | undefined): Promise<void> {
  for (;;) {
    const { rowCount } = await queries.execute(sql`
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${ROWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED
      ))`);
    if ((rowCount ?? 0) < ROWS_PER_STATEMENT) return;
  }
}
