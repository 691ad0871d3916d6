import { and, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Context } from "../domain/context.js";
import { IDEMPOTENCY_LIFETIME_MS } from "../domain/idempotency.js";
import {
  accessTokens,
  auditLog,
  authorizationCodes,
  idempotencyKeys,
  jobs,
  refreshTokens,
  webhookDeliveries,
} from "../store/schema.js";
import { applySampleRetention } from "./sample-retention.js";
import { vacuumAllEmbedded } from "./vacuum.js";

const DAY_MS = 86_400_000;

/** Removes expired rows. Any number of workers may do so at the same time. */
export async function applyRetention(ctx: Context): Promise<void> {
  const { queries, clock, config } = ctx;
  const now = clock.now();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const expired: [PgTable, SQL | undefined][] = [
    [accessTokens, lte(accessTokens.expiresAt, now)],
    [refreshTokens, lte(refreshTokens.expiresAt, now)],
    [authorizationCodes, lte(authorizationCodes.expiresAt, now)],
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
  for (const [table, condition] of expired) await queries.delete(table).where(condition);
  // The throttles use the clock of the system.
  await queries.execute(sql`DELETE FROM throttle_counters WHERE expire <= ${Date.now()}`);
  await applySampleRetention(ctx);
  await vacuumAllEmbedded(ctx);
}
