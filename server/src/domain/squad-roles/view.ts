import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import {
  type GuestRole,
  sessionTimeframes,
  squadGrants,
  squadMembers,
  squads,
  timeframes,
} from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";

/** The caller's view of a squad and its sessions. */
export interface View {
  role: "owner" | "athlete" | GuestRole;
  /** Limits the view to this athlete; null for no limit. */
  athleteId: number | null;
  hasHeart: boolean;
}

/** Part of the context. */
type WithCaller = Pick<Context, "caller">;

const callerId = ({ caller }: WithCaller): number => caller?.id ?? 0;

const isAthlete = ({ caller }: WithCaller): boolean => caller?.role === "ATHLETE";

/** Selects the accepted role of the caller in the squad of a row; null if there is none. */
const guestRole = (ctx: WithCaller): SQL<GuestRole | null> =>
  sql`(SELECT role FROM ${squadGrants} WHERE squad_id = ${squads.id} AND guest_id = ${callerId(ctx)} AND accepted_at IS NOT NULL)`;

/** Returns the caller's role in the squad of a row, as a column for a statement with `squads`. */
export const roleColumn = (ctx: WithCaller): SQL<View["role"]> =>
  isAthlete(ctx)
    ? sql`'athlete'`
    : sql`CASE WHEN ${squads.ownerId} = ${callerId(ctx)} THEN 'owner' ELSE ${guestRole(ctx)} END`;

export const viewOf = (ctx: WithCaller, role: View["role"]): View => ({
  role,
  athleteId: role === "athlete" ? callerId(ctx) : null,
  hasHeart: role === "owner" || role === "athlete" || role === "physician",
});

/**
 * Returns the condition that the caller owns the squad or is its guest. It compares the id with one array, so that the database
 * uses indexes to find the squads and their rows. With OR, it would read all squads.
 */
const ownedOrGuest = (ctx: WithCaller): SQL =>
  sql`${squads.id} = ANY (ARRAY(SELECT own.id FROM ${squads} AS own WHERE own.owner_id = ${callerId(ctx)}
    UNION ALL SELECT squad_id FROM ${squadGrants} WHERE guest_id = ${callerId(ctx)} AND accepted_at IS NOT NULL))`;

/** Returns the condition that the caller can see the squad, for a statement with `squads`. */
export const isVisibleSquad = (ctx: WithCaller): SQL | undefined =>
  isAthlete(ctx)
    ? sql`${squads.id} IN (SELECT squad_id FROM ${squadMembers} WHERE athlete_id = ${callerId(ctx)})`
    : ownedOrGuest(ctx);

/**
 * Returns the condition that the caller can see the session, for a statement with `squads` and a session.
 * @param sessionId column of the session's id
 */
export const isVisibleSession = (
  ctx: WithCaller,
  sessionId: SQL | Parameters<typeof eq>[0],
): SQL | undefined =>
  isAthlete(ctx)
    ? sql`EXISTS (SELECT 1 FROM ${sessionTimeframes} JOIN ${timeframes} ON ${timeframes.id} = ${sessionTimeframes.timeframeId}
        WHERE ${sessionTimeframes.sessionId} = ${sessionId} AND ${timeframes.athleteId} = ${callerId(ctx)})`
    : ownedOrGuest(ctx);

/** Returns the condition that the caller can see the member, for a statement with `squads` and `squad_members`. */
export const isVisibleMember = (ctx: WithCaller): SQL | undefined =>
  isAthlete(ctx) ? eq(squadMembers.athleteId, callerId(ctx)) : ownedOrGuest(ctx);

/**
 * Locks the role of the caller in the squad of another manager until the end of the transaction.
 * @returns the role; undefined if the caller has no role in the squad, for example because it has been revoked
 */
export async function lockRole(
  queries: Queries,
  ctx: WithCaller,
  squadId: number,
): Promise<GuestRole | undefined> {
  const [grant] = await queries
    .select({ role: squadGrants.role })
    .from(squadGrants)
    .where(
      and(
        eq(squadGrants.squadId, squadId),
        eq(squadGrants.guestId, callerId(ctx)),
        isNotNull(squadGrants.acceptedAt),
      ),
    )
    .for("share");
  return grant?.role;
}

/**
 * Locks the role behind the caller's view until the end of the transaction. The role may have changed since it was read.
 * @throws ServiceError `not_found` if the role has ended
 */
export async function lockView(
  queries: Queries,
  ctx: WithCaller,
  squadId: number,
  view: View,
): Promise<View> {
  if (view.role === "owner" || view.role === "athlete") return view;
  const role = await lockRole(queries, ctx, squadId);
  if (role === undefined) throw errors.notFound();
  return viewOf(ctx, role);
}

export const mayEdit = ({ role }: View): boolean => role === "owner" || role === "analyst";
