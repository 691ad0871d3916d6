import { and, eq, inArray, notInArray, or } from "drizzle-orm";
import { jsonSchemas, sessionFigures, sessionTimeframes, timeframes } from "../../store/schema.js";
import { enforceTimeframeQuota } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { recordSessions, theseSessions } from "../change-log/record.js";
import { requireActivityTakesMore, tooManyTimeframes } from "../timeframes/check.js";
import { deleteTimeframes } from "../timeframes/remove.js";
import { SUM_OF_HALVES } from "./figures-inputs.js";
import type { Session } from "./rules.js";
import { planOf, type SessionPlan, type WantedTimeframe, WHOLE } from "./wanted-timeframes.js";

/** Returns a key that is the same for equal time frames of a session. The database orders the members of params. */
const keyOf = (
  { athleteId, deviceId, period, startTime, endTime, params }: WantedTimeframe,
  jsonSchemaId: number,
): string =>
  JSON.stringify([athleteId, deviceId, period, startTime.getTime(), endTime.getTime(), jsonSchemaId, params]);

/**
 * Updates the time frames of a session: adds missing ones and deletes those that no longer apply. Unchanged ones keep their ids
 * and computed data. Lock the session first.
 * @throws ServiceError `too_many_timeframes`; QuotaExceeded
 */
export async function deriveTimeframes(unit: UnitOfWork, session: Session): Promise<void> {
  const { queries, config } = unit;
  const { activityMaxTimeframes: most } = config;
  const { wanted, periods } = await planOf(queries, session, { lock: true, most });
  if (wanted.length > most) throw tooManyTimeframes(most);
  const jsonSchemaId = await schemaIdOf(unit, session);
  const missing = new Map(wanted.map((one) => [keyOf(one, jsonSchemaId), one]));
  await removeOthers(unit, session, missing);
  await addTimeframes(unit, session, jsonSchemaId, [...missing.values()]);
  await deleteFiguresOfOthers(unit, session, { wanted, periods });
  // Names, numbers and players without samples may have changed even if no time frame has changed.
  await recordSessions(unit, "figures", theseSessions([session.id]));
}

/**
 * Deletes the time frames that no longer apply, and adds none, so that no figures remain with the wrong player if a limit prevents
 * the derivation. Lock the session first.
 * @throws ServiceError `session_too_large`
 */
export async function removeOutdatedTimeframes(unit: UnitOfWork, session: Session): Promise<void> {
  const { wanted, periods } = await planOf(unit.queries, session, {
    lock: true,
    most: Number.POSITIVE_INFINITY,
  });
  const jsonSchemaId = await schemaIdOf(unit, session);
  await removeOthers(unit, session, new Map(wanted.map((one) => [keyOf(one, jsonSchemaId), one])));
  await deleteFiguresOfOthers(unit, session, { wanted, periods });
  await recordSessions(unit, "figures", theseSessions([session.id]));
}

/** Deletes the time frames of the session that are not wanted, and removes those that exist from `wanted`. */
async function removeOthers(
  unit: UnitOfWork,
  session: Session,
  wanted: Map<string, WantedTimeframe>,
): Promise<void> {
  const known = await unit.queries
    .select({ timeframe: timeframes, period: sessionTimeframes.period })
    .from(sessionTimeframes)
    .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
    .where(eq(sessionTimeframes.sessionId, session.id));
  const superfluous = known.filter(({ timeframe, period }) => {
    const isSessions = timeframe.activityId === session.id;
    return !(isSessions && wanted.delete(keyOf({ ...timeframe, period }, timeframe.jsonSchemaId)));
  });
  if (superfluous.length === 0) return;
  const ids = superfluous.map(({ timeframe }) => timeframe.id);
  await deleteTimeframes(unit, inArray(timeframes.id, ids));
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
  missing: readonly WantedTimeframe[],
): Promise<void> {
  if (missing.length === 0) return;
  const { queries, now } = unit;
  await requireActivityTakesMore(unit, id, missing.length);
  const created = await queries
    .insert(timeframes)
    .values(
      missing.map(({ period: _, ...columns }) => ({
        ...columns,
        activityId: id,
        ownerId,
        jsonSchemaId,
        assignedAt: now,
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
  await enforceTimeframeQuota(unit, ownerId);
  await unit.announce("timeframesDerived", { created });
}

/** Deletes the figures of players and periods that are no longer in the session. */
async function deleteFiguresOfOthers(
  { queries }: UnitOfWork,
  { id }: Session,
  { wanted, periods }: Pick<SessionPlan, "wanted" | "periods">,
): Promise<void> {
  const athletes = [...new Set(wanted.map(({ athleteId }) => athleteId))];
  // A period in which a player does not take part has figures, but no time frames.
  const names = [WHOLE, SUM_OF_HALVES, ...periods.map(({ name }) => name)];
  const isOther =
    wanted.length === 0
      ? undefined
      : or(notInArray(sessionFigures.athleteId, athletes), notInArray(sessionFigures.period, names));
  await queries.delete(sessionFigures).where(and(eq(sessionFigures.sessionId, id), isOther));
}
