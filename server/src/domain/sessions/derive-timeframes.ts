import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { and, eq, getTableColumns, inArray, not, notInArray, or, sql } from "drizzle-orm";
import { jsonSchemas, sessionFigures, sessionTimeframes, timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { recordSessions, theseSessions } from "../change-log/session-readers.js";
import { hasLostSamples } from "../computed-data/removed-samples.js";
import { requireActivityTakesMore, tooManyTimeframes } from "../timeframes/check.js";
import { deleteTimeframes } from "../timeframes/remove.js";
import { type DerivationInputs, derivationInputs, inputsOfExisting, WHOLE } from "./derivation-inputs.js";
import { SUM_OF_HALVES } from "./figures-inputs.js";
import { forgetRefusal, recordRefusal } from "./refused-derivations.js";
import type { Session } from "./rules.js";
import { TimeframeRoom } from "./timeframe-room.js";
import { remainderIn, type WantedTimeframe, wantedTimeframes } from "./wanted-timeframes.js";

/** The part of a session that a time frame covers. */
const placeOf = ({
  athleteId,
  deviceId,
  period,
  startTime,
  endTime,
}: Omit<WantedTimeframe, "params">): string =>
  JSON.stringify([athleteId, deviceId, period, startTime.getTime(), endTime.getTime()]);

/**
 * Updates the time frames of a session: adds missing ones and deletes those that no longer apply. Unchanged ones keep their ids
 * and computed data. One that replaces another with the same athlete, device and times, or what remains of another, has its age, so that
 * it assigns the same samples. Lock the session first.
 * @throws ServiceError `too_many_timeframes`, `session_too_large`; QuotaExceeded
 */
export async function deriveTimeframes(
  unit: UnitOfWork,
  session: Session,
  room = new TimeframeRoom(),
): Promise<void> {
  const { activityMaxTimeframes: most } = unit.config;
  const inputs = await derivationInputs(unit.queries, session, { lock: true });
  const wanted: WantedTimeframe[] = [];
  for await (const one of wantedTimeframes(inputs)) {
    if (wanted.push(one) > most) throw tooManyTimeframes(most);
  }
  await forgetRefusal(unit, session);
  const jsonSchemaId = await schemaIdOf(unit, session);
  const missing = new Map(wanted.map((one) => [placeOf(one), one]));
  const known = await knownOf(unit, session);
  const { kept, moved } = await keepOnly(unit, { session, jsonSchemaId, known }, remainderIn(inputs, known));
  // Without the permission to write, they are not in the list of wanted ones.
  for (const one of moved) if (!missing.has(placeOf(one))) missing.set(placeOf(one), one);
  for (const one of kept) missing.delete(placeOf(one));
  await room.change(unit, session.ownerId, { added: missing.size, deleted: known.length - kept.length });
  const ages = agesOf([...known, ...moved]);
  const added = [...missing.values()].map((one) => ({
    ...one,
    assignedAt: ages.get(timeOf(one)) ?? unit.now,
  }));
  const created = await addTimeframes(unit, session, jsonSchemaId, added);
  await room.requireDevicesTake(unit, created);
  await deleteFiguresOfOthers(unit, session, inputs);
  // Names, numbers and players without samples may have changed even if no time frame has changed.
  await recordSessions(unit, "figures", theseSessions([session.id]));
}

/**
 * Deletes the time frames that no longer apply, and adds none, so that no figures remain with the wrong player if a limit prevents
 * the derivation, and records the refusal. Those that would only get other params remain, because nothing could replace them. Reads the existing time frames first, because there may be many more wanted ones. Lock
 * the session first.
 */
export async function removeOutdatedTimeframes(
  unit: UnitOfWork,
  session: Session,
  room: TimeframeRoom,
): Promise<void> {
  const known = await knownOf(unit, session);
  const inputs = await inputsOfExisting(unit.queries, session, [
    ...new Set(known.map(({ athleteId }) => athleteId)),
  ]);
  // First, because the deletion would otherwise cause another derivation.
  await forgetRefusal(unit, session);
  const { kept } = await keepOnly(unit, { session, known }, remainderIn(inputs, known));
  await room.change(unit, session.ownerId, { added: 0, deleted: known.length - kept.length });
  const permitted = kept.filter(({ athleteId, startTime, endTime }) =>
    inputs.grants.cover(athleteId, startTime, endTime),
  );
  await recordRefusal(unit, session, countsOf(permitted));
  await deleteFiguresOfOthers(unit, session, inputs);
  await recordSessions(unit, "figures", theseSessions([session.id]));
}

/** A time frame of a session. */
type KnownTimeframe = typeof timeframes.$inferSelect & { period: string };

const knownOf = ({ queries }: UnitOfWork, { id }: Session): Promise<KnownTimeframe[]> =>
  queries
    .select({ ...getTableColumns(timeframes), period: sessionTimeframes.period })
    .from(sessionTimeframes)
    .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
    .where(eq(sessionTimeframes.sessionId, id))
    .orderBy(timeframes.id);

const timeOf = (one: Omit<WantedTimeframe, "params">): string => placeOf({ ...one, period: WHOLE });

/** Returns by athlete, device and times when the oldest time frame was assigned. */
const agesOf = (known: readonly KnownTimeframe[]): ReadonlyMap<string, Date> =>
  new Map(
    [...known]
      .sort((a, b) => b.assignedAt.getTime() - a.assignedAt.getTime())
      .map((one) => [timeOf(one), one.assignedAt]),
  );

/** Number of time frames between two turns of the event loop. Each may be compared with hundreds of times of periods and others. */
const COMPARED_AT_A_TIME = 50;

/**
 * Deletes the time frames of a session that do not apply, and those that must be replaced: with another sport, with times outside of
 * the session, or that version 1 has moved to another activity. A time frame whose samples retention has removed remains if only its
 * params would change, because its figures cannot be computed again.
 * @param jsonSchemaId absent: none are replaced, also not because of their params
 * @param remainderOf what remains of a time frame; undefined if it does not apply. The database orders the members of its params.
 * @returns the others, and what replaces deleted ones
 */
async function keepOnly(
  unit: UnitOfWork,
  { session, jsonSchemaId, known }: { session: Session; jsonSchemaId?: number; known: KnownTimeframe[] },
  remainderOf: (one: KnownTimeframe) => KnownTimeframe | undefined,
): Promise<{ kept: KnownTimeframe[]; moved: KnownTimeframe[] }> {
  const moved: KnownTimeframe[] = [];
  const places = new Set<string>();
  const differing = new Set<number>();
  const left = new Set<number>();
  for (const [place, one] of known.entries()) {
    if (place % COMPARED_AT_A_TIME === COMPARED_AT_A_TIME - 1) await nextEventLoopTurn();
    const wanted = remainderOf(one);
    if (wanted === undefined || places.has(placeOf(wanted))) continue;
    const isOfSession =
      one.activityId === session.id && one.jsonSchemaId === jsonSchemaId && placeOf(wanted) === placeOf(one);
    if (jsonSchemaId !== undefined && !isOfSession) {
      moved.push(wanted);
      continue;
    }
    places.add(placeOf(wanted));
    left.add(one.id);
    if (jsonSchemaId !== undefined && JSON.stringify(wanted.params) !== JSON.stringify(one.params))
      differing.add(one.id);
  }
  const lost = await withLostSamples(unit, [...differing]);
  const isKept = ({ id }: KnownTimeframe) => left.has(id) && (!differing.has(id) || lost.has(id));
  const superfluous = known.filter((one) => !isKept(one)).map(({ id }) => id);
  if (superfluous.length > 0) await deleteTimeframes(unit, inArray(timeframes.id, superfluous));
  return { kept: known.filter(isKept), moved };
}

async function withLostSamples(
  { queries }: UnitOfWork,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await queries
    .select({ id: timeframes.id })
    .from(timeframes)
    .where(and(inArray(timeframes.id, [...ids]), hasLostSamples));
  return new Set(rows.map(({ id }) => id));
}

function countsOf(known: readonly KnownTimeframe[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { athleteId } of known) counts.set(athleteId, (counts.get(athleteId) ?? 0) + 1);
  return counts;
}

async function schemaIdOf({ queries }: UnitOfWork, { sport }: Session): Promise<number> {
  const [schema] = await queries
    .select({ id: jsonSchemas.id })
    .from(jsonSchemas)
    .where(eq(jsonSchemas.name, `timeframe_${sport}`));
  return schema?.id ?? 0;
}

async function addTimeframes(
  unit: UnitOfWork,
  { id, ownerId }: Session,
  jsonSchemaId: number,
  missing: readonly (WantedTimeframe & { assignedAt: Date })[],
): Promise<(typeof timeframes.$inferSelect)[]> {
  if (missing.length === 0) return [];
  const { queries } = unit;
  await requireActivityTakesMore(unit, id, missing.length);
  const created = await queries
    .insert(timeframes)
    .values(
      missing.map(({ athleteId, deviceId, startTime, endTime, params, assignedAt }) => ({
        athleteId,
        deviceId,
        startTime,
        endTime,
        params,
        assignedAt,
        activityId: id,
        ownerId,
        jsonSchemaId,
      })),
    )
    .returning();
  // The rows are in the order of the values.
  await queries.insert(sessionTimeframes).values(
    created.map((row, place) => ({
      timeframeId: row.id,
      sessionId: id,
      period: missing[place]?.period ?? "",
    })),
  );
  await unit.announce("timeframesDerived", { created });
  return created;
}

/** Deletes the figures of players without time frames, and of periods that are no longer in the session. */
async function deleteFiguresOfOthers(
  { queries }: UnitOfWork,
  { id }: Session,
  { periods }: Pick<DerivationInputs, "periods">,
): Promise<void> {
  // A period in which a player does not take part has figures, but no time frames.
  const names = [WHOLE, SUM_OF_HALVES, ...periods.map(({ name }) => name)];
  const hasFrames = sql`EXISTS (SELECT FROM ${sessionTimeframes} JOIN ${timeframes} ON ${timeframes.id} = ${sessionTimeframes.timeframeId}
    WHERE ${sessionTimeframes.sessionId} = ${id} AND ${timeframes.athleteId} = ${sessionFigures.athleteId})`;
  await queries
    .delete(sessionFigures)
    .where(
      and(eq(sessionFigures.sessionId, id), or(not(hasFrames), notInArray(sessionFigures.period, names))),
    );
}
