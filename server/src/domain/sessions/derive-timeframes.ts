import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { and, eq, inArray, not, notInArray, or, sql } from "drizzle-orm";
import { jsonSchemas, sessionFigures, sessionTimeframes, timeframes } from "../../store/schema.js";
import { enforceTimeframeQuota } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { recordSessions, theseSessions } from "../change-log/record.js";
import { requireActivityTakesMore, tooManyTimeframes } from "../timeframes/check.js";
import { deleteTimeframes } from "../timeframes/remove.js";
import { type DerivationInputs, derivationInputs, inputsOfExisting, WHOLE } from "./derivation-inputs.js";
import { SUM_OF_HALVES } from "./figures-inputs.js";
import type { Session } from "./rules.js";
import { forgetRefusal, recordRefusal } from "./refused-derivations.js";
import { paramsIfWanted, type WantedTimeframe, wantedTimeframes } from "./wanted-timeframes.js";

/** A time frame of a session. */
interface KnownTimeframe {
  timeframe: typeof timeframes.$inferSelect;
  period: string;
}

/** Returns the key by which two time frames of a session are equal. The database orders the members of params. */
const keyOf = (
  { athleteId, deviceId, period, startTime, endTime, params }: WantedTimeframe,
  jsonSchemaId: number,
): string =>
  JSON.stringify([athleteId, deviceId, period, startTime.getTime(), endTime.getTime(), jsonSchemaId, params]);

/**
 * Updates the time frames of a session: adds missing ones and deletes those that no longer apply. Unchanged ones keep their ids
 * and computed data. Lock the session first.
 * @throws ServiceError `too_many_timeframes`, `session_too_large`; QuotaExceeded
 */
export async function deriveTimeframes(unit: UnitOfWork, session: Session): Promise<void> {
  const { activityMaxTimeframes: most } = unit.config;
  const inputs = await derivationInputs(unit.queries, session, { lock: true });
  const wanted: WantedTimeframe[] = [];
  for await (const one of wantedTimeframes(inputs)) {
    if (wanted.push(one) > most) throw tooManyTimeframes(most);
  }
  const jsonSchemaId = await schemaIdOf(unit, session);
  const missing = new Map(wanted.map((one) => [keyOf(one, jsonSchemaId), one]));
  await forgetRefusal(unit, session);
  await keepOnly(unit, session, await knownOf(unit, session), ({ timeframe, period }) =>
    missing.delete(keyOf({ ...timeframe, period }, timeframe.jsonSchemaId)),
  );
  await addTimeframes(unit, session, jsonSchemaId, [...missing.values()]);
  await deleteFiguresOfOthers(unit, session, inputs);
  // Names, numbers and players without samples may have changed even if no time frame has changed.
  await recordSessions(unit, "figures", theseSessions([session.id]));
}

/**
 * Deletes the time frames that no longer apply, and adds none, so that no figures remain with the wrong player if a limit prevents
 * the derivation, and records the refusal. Reads the existing time frames first, because there may be many more wanted ones. Lock the session first.
 */
export async function removeOutdatedTimeframes(unit: UnitOfWork, session: Session): Promise<void> {
  const known = await knownOf(unit, session);
  const athletes = new Set(known.map(({ timeframe }) => timeframe.athleteId));
  const inputs = await inputsOfExisting(unit.queries, session, [...athletes]);
  const jsonSchemaId = await schemaIdOf(unit, session);
  const paramsOf = paramsIfWanted(inputs);
  // First, because the deletion would otherwise cause another derivation.
  await forgetRefusal(unit, session);
  const kept = await keepOnly(unit, session, known, ({ timeframe, period }) => {
    const frame = { ...timeframe, period };
    const params = paramsOf(frame);
    return (
      params !== undefined &&
      keyOf({ ...frame, params }, jsonSchemaId) === keyOf(frame, timeframe.jsonSchemaId)
    );
  });
  await recordRefusal(unit, session, countsOf(kept));
  await deleteFiguresOfOthers(unit, session, inputs);
  await recordSessions(unit, "figures", theseSessions([session.id]));
}

const knownOf = ({ queries }: UnitOfWork, { id }: Session): Promise<KnownTimeframe[]> =>
  queries
    .select({ timeframe: timeframes, period: sessionTimeframes.period })
    .from(sessionTimeframes)
    .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
    .where(eq(sessionTimeframes.sessionId, id));

/** Number of time frames between two turns of the event loop. Each may be compared with 1,000 assignments. */
const COMPARED_AT_A_TIME = 500;

/**
 * Deletes the time frames of a session that are not wanted, and those that version 1 has moved to another activity.
 * @returns the others
 */
async function keepOnly(
  unit: UnitOfWork,
  session: Session,
  known: readonly KnownTimeframe[],
  isWanted: (one: KnownTimeframe) => boolean,
): Promise<KnownTimeframe[]> {
  const kept: KnownTimeframe[] = [];
  const superfluous: number[] = [];
  for (const [place, one] of known.entries()) {
    if (place % COMPARED_AT_A_TIME === COMPARED_AT_A_TIME - 1) await nextEventLoopTurn();
    const { id, activityId } = one.timeframe;
    if (activityId === session.id && isWanted(one)) kept.push(one);
    else superfluous.push(id);
  }
  if (superfluous.length > 0) await deleteTimeframes(unit, inArray(timeframes.id, superfluous));
  return kept;
}

function countsOf(known: readonly KnownTimeframe[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { timeframe: { athleteId } } of known) counts.set(athleteId, (counts.get(athleteId) ?? 0) + 1);
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
