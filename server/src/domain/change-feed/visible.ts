import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { accounts, sessions, squads } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import type { LoggedChange } from "../change-log/read-log.js";
import { hasActive } from "../permissions/coverage.js";
import { isVisibleSession, isVisibleSquad } from "../squad-roles/view.js";

/** Returns the ids in the changes of the given kinds. */
const idsOf = (changes: readonly LoggedChange[], ...kinds: LoggedChange["kind"][]): number[] => [
  ...new Set(changes.filter(({ kind }) => kinds.includes(kind)).map(({ objectId }) => objectId)),
];

const callerId = ({ caller }: Context): number => caller?.id ?? 0;

async function visibleSessions(ctx: Context, ids: number[]): Promise<Set<number>> {
  const rows = await ctx.queries
    .select({ id: sessions.activityId })
    .from(sessions)
    .innerJoin(squads, eq(squads.id, sessions.squadId))
    .where(and(inArray(sessions.activityId, ids), isVisibleSession(ctx, sessions.activityId)));
  return new Set(rows.map(({ id }) => id));
}

async function visibleSquads(ctx: Context, ids: number[]): Promise<Set<number>> {
  const rows = await ctx.queries
    .select({ id: squads.id })
    .from(squads)
    .where(and(inArray(squads.id, ids), isVisibleSquad(ctx)));
  return new Set(rows.map(({ id }) => id));
}

async function visibleAthletes(ctx: Context, ids: number[]): Promise<Set<number>> {
  const isReadable: SQL = hasActive(ctx.queries, callerId(ctx), "READ", ctx.clock.now());
  const rows = await ctx.queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(inArray(accounts.id, ids), or(eq(accounts.id, callerId(ctx)), isReadable)));
  return new Set(rows.map(({ id }) => id));
}

/** Returns the positions of the changes to samples from times when the caller owned the device. */
async function ownedPlaces(ctx: Context, changes: readonly LoggedChange[]): Promise<Set<number>> {
  const { rows } = await ctx.queries.execute<{ place: string }>(sql`
    SELECT place FROM unnest(
      ${sql.param(changes.map(({ objectId }) => objectId))}::bigint[],
      ${sql.param(changes.map(({ fromMs }) => new Date(fromMs ?? 0).toISOString()))}::timestamptz[],
      ${sql.param(changes.map(({ toMs }) => new Date(toMs ?? 0).toISOString()))}::timestamptz[]
    ) WITH ORDINALITY AS changed (device, from_time, to_time, place)
    WHERE EXISTS (SELECT FROM ownerships WHERE manager_id = ${callerId(ctx)} AND device_id = device
      AND start_time < to_time AND end_time > from_time)`);
  return new Set(rows.map(({ place }) => Number(place) - 1));
}

const NONE: ReadonlySet<number> = new Set();

/** Returns the changed objects that the caller can read now. */
export async function visibleIn(
  ctx: Context,
  changes: readonly LoggedChange[],
): Promise<(change: LoggedChange) => boolean> {
  const samples = changes.filter(({ kind }) => kind === "samples");
  const ids = {
    session: idsOf(changes, "session", "figures"),
    squad: idsOf(changes, "squad"),
    athlete: idsOf(changes, "athlete"),
  };
  const owned = samples.length === 0 ? NONE : await ownedPlaces(ctx, samples);
  const seen = {
    session: ids.session.length === 0 ? NONE : await visibleSessions(ctx, ids.session),
    squad: ids.squad.length === 0 ? NONE : await visibleSquads(ctx, ids.squad),
    athlete: ids.athlete.length === 0 ? NONE : await visibleAthletes(ctx, ids.athlete),
  };
  return (change) => {
    const { kind, objectId } = change;
    if (kind === "samples") return owned.has(samples.indexOf(change));
    return seen[kind === "figures" ? "session" : kind].has(objectId);
  };
}
