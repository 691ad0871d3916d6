import { and, eq, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { squadMembers } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import { isValidBetween } from "../lists/times.js";
import type { View } from "../squad-roles/view.js";
import { playersOf } from "./players.js";
import type { Session } from "./rules.js";

type Times = Pick<Session, "startTime" | "endTime">;

/**
 * Checks the times that a guest gives to a session. The times of a player in the squad decide which days of the player the guests see,
 * and a session shows all samples of its players. So only the owner can include times at which one of them is not in the squad.
 * @param before the times before a change
 * @throws ServiceError `forbidden`
 */
export async function requireMembers(
  queries: Queries,
  { role }: View,
  session: Pick<Session, "squadId"> & Times,
  before?: Times,
): Promise<void> {
  const { squadId, startTime, endTime } = session;
  if (role === "owner") return;
  if (before !== undefined && startTime >= before.startTime && endTime <= before.endTime) return;
  const { athleteId } = squadMembers;
  const [partly] = await queries
    .select({ athleteId })
    .from(squadMembers)
    .where(and(eq(squadMembers.squadId, squadId), isValidBetween(squadMembers, startTime, endTime)))
    .groupBy(athleteId)
    .having(
      sql`NOT range_agg(tstzrange(${squadMembers.startTime}, ${squadMembers.endTime})) @> tstzrange(${startTime}, ${endTime})`,
    )
    .limit(1);
  if (partly === undefined) return;
  const [player] = await playersOf(queries, session, [partly.athleteId]);
  throw errors.forbidden(
    `${player?.name} is in the squad during only a part of these times. Choose other times, or ask the owner of the squad to set them.`,
  );
}
