import { type SQL, sql } from "drizzle-orm";
import { squadMembers, squads } from "../../store/schema.js";

/**
 * Returns the condition that the manager manages the athlete, or has had the athlete in a squad. A permission alone does not
 * suffice, because anybody can register as an athlete and grant permissions to any manager.
 * @param account the table `accounts`, or its alias in the statement
 */
export const isOwnAthlete = (managerId: number, account: SQL): SQL<boolean> =>
  sql`(${account}.managed_by IS NOT DISTINCT FROM ${managerId}::bigint OR EXISTS (
    SELECT FROM ${squadMembers} AS member JOIN ${squads} AS squad ON squad.id = member.squad_id
    WHERE member.athlete_id = ${account}.id AND squad.owner_id = ${managerId}))`;
