import { isDeepStrictEqual } from "node:util";
import { METRICS_VERSION, type ParameterOverrides } from "asi-convert/metrics";
import { and, eq, sql } from "drizzle-orm";
import type { Queries } from "../../store/database.js";
import { NOBODY } from "../../store/job-queue.js";
import { readStored, sqlClientOf } from "../../store/samples/index.js";
import { accounts, computedData, jsonSchemas, ownerships, timeframes } from "../../store/schema.js";
import type { Context } from "../context.js";
import { sportOf } from "../json-schemas/sport.js";
import { hasLostSamples } from "./removed-samples.js";

/** Computed data, and the versions that it was computed from. */
export interface ComputationResult {
  /** JSON text. */
  data: string;
  timeframeVersion: number;
  dataVersion: number;
  definitionVersion: number;
}

/** Whether a stored result is current. A process of an older release accepts results of newer rules. */
export const isFresh = sql<boolean>`(${computedData.timeframeVersion} = ${timeframes.version}
  AND ${computedData.dataVersion} = ${timeframes.dataVersion}
  AND ${computedData.definitionVersion} >= ${METRICS_VERSION})`;

/** How often a computation restarts because its inputs have changed. */
const MAX_TRIES = 3;

/**
 * The computed data of a time frame: the stored result when it is current, or when retention has removed samples that a
 * new result would need. Otherwise computes them now, and stores them if they are still current then.
 * @param account charged for the computation
 * @returns undefined when there is no such time frame
 * @throws ServiceError `throttled` when too many computations wait; CallersLeftError when the caller leaves before it begins
 */
export async function computedDataOf(
  ctx: Context,
  timeframeId: number,
  account = ctx.caller?.id ?? NOBODY,
): Promise<ComputationResult | undefined> {
  let newest: ComputationResult | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const known = await findResult(ctx.queries, timeframeId);
    if (known === undefined || known.result !== undefined) return known?.result;
    // One computation serves all requests for this version. Its inputs are read when a thread is free.
    const made = await ctx.computer.share(
      `${timeframeId}/${known.version}/${known.dataVersion}`,
      { account, signal: ctx.signal },
      async () => {
        const result = await computeNow(ctx, timeframeId);
        return { result, holds: result === undefined || (await store(ctx, timeframeId, result)) };
      },
    );
    newest = made.result;
    if (made.holds) return newest;
  }
  // Samples arrive faster than their data can be computed: this result was current a moment ago.
  return newest;
}

async function findResult(
  queries: Queries,
  timeframeId: number,
): Promise<{ result: ComputationResult | undefined; version: number; dataVersion: number } | undefined> {
  const [row] = await queries
    .select({
      version: timeframes.version,
      dataVersion: timeframes.dataVersion,
      stored: computedData,
      stays: sql<boolean>`${isFresh} OR ${hasLostSamples}`,
    })
    .from(timeframes)
    .leftJoin(computedData, eq(computedData.timeframeId, timeframes.id))
    .where(eq(timeframes.id, timeframeId));
  if (row === undefined) return undefined;
  const { version, dataVersion, stored, stays } = row;
  return { result: stored !== null && stays ? stored : undefined, version, dataVersion };
}

/** Reads the current state of the time frame, then its samples, and computes. */
async function computeNow(ctx: Context, timeframeId: number): Promise<ComputationResult | undefined> {
  const { queries, clock, computer } = ctx;
  const [row] = await queries
    .select({ timeframe: timeframes, birthDate: accounts.birthDate, schemaName: jsonSchemas.name })
    .from(timeframes)
    .innerJoin(accounts, eq(accounts.id, timeframes.athleteId))
    .innerJoin(jsonSchemas, eq(jsonSchemas.id, timeframes.jsonSchemaId))
    .where(eq(timeframes.id, timeframeId));
  if (row === undefined) return undefined;
  const { timeframe } = row;
  const owned = await ownedBy(queries, timeframe);
  const startMs = timeframe.startTime.getTime();
  const stopMs = timeframe.endTime.getTime();
  const chunks = await readStored(sqlClientOf(queries), timeframe.deviceId, { startMs, stopMs });
  // The owner of the device has changed in the meantime, so the samples may belong to another owner.
  if (!isDeepStrictEqual(await ownedBy(queries, timeframe), owned)) return computeNow(ctx, timeframeId);
  const data = await computer.compute({
    deviceId: timeframe.deviceId,
    chunks,
    options: {
      preset: sportOf(row.schemaName),
      params: timeframe.params as ParameterOverrides,
      from: startMs,
      to: stopMs,
      periods: owned.map(({ start, end }) => ({ startMs: start.getTime(), endMs: end.getTime() })),
      birthDate: row.birthDate,
    },
    computedAtMs: clock.now().getTime(),
  });
  return {
    data,
    timeframeVersion: timeframe.version,
    dataVersion: timeframe.dataVersion,
    definitionVersion: METRICS_VERSION,
  };
}

/** When the owner of the time frame owned its device. */
const ownedBy = (queries: Queries, { deviceId, ownerId }: typeof timeframes.$inferSelect) =>
  queries
    .select({ start: ownerships.startTime, end: ownerships.endTime })
    .from(ownerships)
    .where(and(eq(ownerships.deviceId, deviceId), eq(ownerships.managerId, ownerId)))
    .orderBy(ownerships.id);

/**
 * Stores a result, unless the time frame or its data have changed since, or retention has removed samples meanwhile.
 * @returns whether it was stored
 */
async function store(
  { queries, clock }: Context,
  timeframeId: number,
  { data, timeframeVersion, dataVersion, definitionVersion }: ComputationResult,
): Promise<boolean> {
  return queries.transaction(async (tx) => {
    // While the row is locked, no change can raise its versions.
    const [held] = await tx
      .select({ lost: hasLostSamples, stored: computedData.timeframeId })
      .from(timeframes)
      .leftJoin(computedData, eq(computedData.timeframeId, timeframes.id))
      .where(
        and(
          eq(timeframes.id, timeframeId),
          eq(timeframes.version, timeframeVersion),
          eq(timeframes.dataVersion, dataVersion),
        ),
      )
      .for("share", { of: timeframes });
    if (held === undefined || (held.lost && held.stored !== null)) return false;
    const result = { timeframeVersion, dataVersion, definitionVersion, data, computedAt: clock.now() };
    await tx
      .insert(computedData)
      .values({ timeframeId, ...result })
      .onConflictDoUpdate({ target: computedData.timeframeId, set: result });
    return true;
  });
}
