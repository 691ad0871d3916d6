import { sql } from "drizzle-orm";
import type { FastifyBaseLogger } from "fastify";
import type { Context } from "../domain/change/context.js";

/** Maximum clock difference without a warning, ms. */
const TOLERATED_MS = 5 * 60_000;

/**
 * Warns if the clock of this machine is behind times recorded in the database, or differs from the clock of the
 * database. With a wrong clock, tokens expire at wrong times, and the service refuses current samples as samples from
 * the future.
 */
export async function checkClock(
  { queries, clock }: Pick<Context, "queries" | "clock">,
  log: Pick<FastifyBaseLogger, "warn">,
): Promise<void> {
  const { rows } = await queries.execute<{ newest: number | null; database: number }>(
    sql`SELECT extract(epoch FROM (SELECT max(at) FROM audit_log))::float8 * 1000 AS newest,
      extract(epoch FROM clock_timestamp())::float8 * 1000 AS database`,
  );
  const now = clock.now().getTime();
  const { newest = null, database = now } = rows[0] ?? {};
  if (newest !== null && newest - now > TOLERATED_MS) {
    log.warn(
      { behindMs: Math.round(newest - now) },
      "the clock is behind the newest row of the audit log: it was set back, or was fast before",
    );
  }
  if (Math.abs(database - now) > TOLERATED_MS) {
    log.warn(
      { differenceMs: Math.round(now - database) },
      "the clocks of this machine and of the database differ",
    );
  }
}
