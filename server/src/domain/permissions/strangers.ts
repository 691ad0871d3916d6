import { type SQL, sql } from "drizzle-orm";
import { accounts, knownManagers, permissions } from "../../store/schema.js";
import { isWithin } from "../change/cached-count.js";
import { QuotaExceeded } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { isOwnAthlete } from "./own-athletes.js";

const ATHLETE = sql`athlete`;

/**
 * Maximum number of permissions of one athlete that count, so that a few athletes with many permissions do not use up the share
 * of all athletes.
 */
const MOST_COUNTED = 10;

/** Whether the athlete has identified the manager by number and username. */
const hasFound = (managerId: number): SQL<boolean> => sql`EXISTS (
  SELECT 1 FROM ${knownManagers} AS known WHERE known.athlete_id = athlete.id AND known.manager_id = ${managerId})`;

/**
 * Call it after an athlete has granted permissions to a manager. Anyone can register as an athlete and grant permissions to any
 * number, so the valid permissions of a manager on athletes who are not the manager's own are limited. Athletes who have identified
 * the manager by number and username count separately, so that others cannot use up their share.
 * @param added number of permissions
 * @throws QuotaExceeded
 */
export async function enforceStrangerQuota(
  unit: UnitOfWork,
  { athleteId, managerId, added }: { athleteId: number; managerId: number; added: number },
): Promise<void> {
  const { queries, now, config } = unit;
  const { rows } = await queries.execute<{ is_own: boolean; has_found: boolean }>(sql`
    SELECT ${isOwnAthlete(managerId, ATHLETE)} AS is_own, ${hasFound(managerId)} AS has_found
    FROM ${accounts} AS athlete WHERE athlete.id = ${athleteId}`);
  const [athlete] = rows;
  if (athlete === undefined || athlete.is_own) return;
  const count = async () => {
    const { rows } = await queries.execute<{ count: number }>(sql`
      SELECT coalesce(sum(valid), 0)::int AS count FROM (
        SELECT permission.athlete_id, least(count(*), ${MOST_COUNTED}) AS valid FROM ${permissions} AS permission
        WHERE permission.manager_id = ${managerId} AND permission.expiration_time > ${now}
        GROUP BY permission.athlete_id) AS by_athlete
      JOIN ${accounts} AS athlete ON athlete.id = by_athlete.athlete_id
      WHERE NOT ${isOwnAthlete(managerId, ATHLETE)} AND ${hasFound(managerId)} = ${athlete.has_found}`);
    return rows[0]?.count ?? 0;
  };
  const name = `permissions ${managerId} ${athlete.has_found ? "found" : "not found"}`;
  if (await isWithin(unit, config.quotaStrangerPermissions, name, Math.min(added, MOST_COUNTED), count))
    return;
  throw new QuotaExceeded(
    `Athletes whom a manager neither manages nor has in a squad can grant this manager at most ${config.quotaStrangerPermissions} valid permissions together. ${
      athlete.has_found
        ? "Ask the manager to add you to a squad, or the operator of the service for a higher QUOTA_STRANGER_PERMISSIONS."
        : "Identify the manager by number and username first."
    }`,
  );
}
