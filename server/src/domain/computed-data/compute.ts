import { parametersIn, type Recipe } from "asi-convert/metrics";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { currentCaller, jobGroupOf } from "../../fairness/callers.js";
import type { Queries } from "../../store/connection/database.js";
import { NOBODY } from "../../store/queue/job-queue.js";
import { readStored, sqlClientOf } from "../../store/samples/index.js";
import {
  accounts,
  computedData,
  jsonSchemas,
  recipes,
  recomputations,
  timeframeRecipes,
  timeframes,
} from "../../store/schema.js";
import type { EnterRoom, RecipeVersion } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { sportOf } from "../json-schemas/sport.js";
import { readOwned } from "../sample-ownership/owners.js";
import { untilUnchanged } from "./input-lock.js";
import { hasLostSamples } from "./removed-samples.js";
import { RULES_VERSION } from "./rules-version.js";
import { requireFewRead, requireFewStored } from "./sample-limit.js";

/** Computed data, and the versions from which it was computed. */
export interface ComputationResult {
  /** JSON text. */
  data: string;
  /** `OptionalFigures` as JSON text. */
  further: string;
  /** Points of the acceleration-speed profile as JSON text; null if an older release computed the result. */
  profilePoints: string | null;
  sessionMaxSpeed: number | null;
  timeframeVersion: number;
  dataVersion: number;
  rulesVersion: number;
}

/**
 * Selects `wanted` from the changes that affect the time frame in the row of `timeframes` and have not marked it yet. Only the position of a
 * change of a device has a start.
 */
const changes = (wanted: SQL) => sql`(SELECT ${wanted} FROM ${recomputations} AS change
  WHERE (coalesce(change.done_start, ${timeframes.startTime}), change.done_through) < (${timeframes.startTime}, ${timeframes.id}) AND (
    change.athlete_id = ${timeframes.athleteId} OR change.activity_id = ${timeframes.activityId}
    OR (change.device_id = ${timeframes.deviceId} AND coalesce(change.owner_id, ${timeframes.ownerId}) = ${timeframes.ownerId}
      AND tstzrange(${timeframes.startTime}, ${timeframes.endTime}, '[]') && change.times)))`;

/**
 * The changes that affect the time frame in the row of `timeframes` and have not marked it yet, as text without spaces. Null if
 * there are none.
 */
export const pendingChanges = sql<
  string | null
>`${changes(sql`string_agg(change.id || '.' || change.version, '.' ORDER BY change.id)`)}`;

/** Whether a stored result is current. A process of an older release accepts results of newer rules. */
const isFresh = sql<boolean>`(${changes(sql`count(*)`)} = 0 AND ${computedData.timeframeVersion} = ${timeframes.version}
  AND ${computedData.dataVersion} = ${timeframes.dataVersion}
  AND ${computedData.rulesVersion} >= ${RULES_VERSION})`;

/**
 * Whether to return a stored result, because it is current, or because it includes samples that retention has removed.
 */
export const stays = sql<boolean>`(${isFresh} OR (${hasLostSamples} AND NOT coalesce(${changes(sql`bool_or(change.forgets)`)}, false)))`;

/** Maximum number of restarts of a computation because its inputs have changed. */
const MAX_TRIES = 3;

/**
 * Returns the computed data of a time frame: the stored result if it is current, or if retention has removed samples that a new
 * result would need. Otherwise computes the data, and stores it if it is still current.
 * @param account account charged for the computation
 * @returns undefined if the time frame does not exist
 * @throws TooManySamples; ServiceError `throttled` when too many computations wait; CallersLeftError when the caller disconnects before the
 * computation begins
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
    // One computation serves all requests for this version. It reads its inputs when a thread is free.
    const made = await ctx.computer.share(
      `${timeframeId}/${known.state}`,
      { account, group: jobGroupOf(currentCaller(), ctx.serverKey), signal: ctx.signal },
      async (enter) => {
        // An earlier computation may have read these inputs while this one waited.
        const now = await findResult(ctx.queries, timeframeId);
        if (now?.result !== undefined) return { result: now.result, holds: true };
        const result = await computeNow(ctx, timeframeId, enter);
        return { result, holds: result === undefined || (await store(ctx, timeframeId, result)) };
      },
    );
    newest = made.result;
    if (made.holds) return newest;
  }
  // Samples arrive faster than their data can be computed. Return this result, which was current until recently.
  return newest;
}

async function findResult(
  queries: Queries,
  timeframeId: number,
): Promise<{ result: ComputationResult | undefined; state: string } | undefined> {
  const [row] = await queries
    .select({
      version: timeframes.version,
      dataVersion: timeframes.dataVersion,
      stored: computedData,
      stays,
      lastChange: pendingChanges,
    })
    .from(timeframes)
    .leftJoin(computedData, eq(computedData.timeframeId, timeframes.id))
    .where(eq(timeframes.id, timeframeId));
  if (row === undefined) return undefined;
  const { version, dataVersion, lastChange, stored } = row;
  const state = `${version}/${dataVersion}/${lastChange ?? ""}`;
  return { result: stored !== null && row.stays ? stored : undefined, state };
}

/** Selects the recipes that the time frame in the row of `timeframes` names, in their order. */
const namedRecipes = sql<(Omit<RecipeVersion, "recipe"> & { recipe: string })[]>`(
  SELECT coalesce(json_agg(json_build_object('name', recipe.name, 'version', recipe.version, 'hash', recipe.hash, 'recipe', recipe.recipe)
    ORDER BY use.position), '[]')
  FROM ${timeframeRecipes} AS use JOIN ${recipes} AS recipe ON recipe.id = use.recipe_id WHERE use.timeframe_id = ${timeframes.id})`;

/** Reads the current state of the time frame, then its samples, and computes. */
async function computeNow(
  ctx: Context,
  timeframeId: number,
  enter: EnterRoom,
): Promise<ComputationResult | undefined> {
  const { queries, clock, computer } = ctx;
  const [seen] = await queries.select().from(timeframes).where(eq(timeframes.id, timeframeId));
  if (seen === undefined) return undefined;
  const { deviceId, athleteId, activityId, version } = seen;
  await untilUnchanged(queries, [{ deviceId }, { athleteId }, { activityId }]);
  const [row] = await queries
    .select({
      timeframe: timeframes,
      birthDate: accounts.birthDate,
      schemaName: jsonSchemas.name,
      recipes: namedRecipes,
    })
    .from(timeframes)
    .innerJoin(accounts, eq(accounts.id, timeframes.athleteId))
    .innerJoin(jsonSchemas, eq(jsonSchemas.id, timeframes.jsonSchemaId))
    .where(eq(timeframes.id, timeframeId));
  // A changed time frame may depend on other inputs.
  if (row?.timeframe.version !== version) return computeNow(ctx, timeframeId, enter);
  const { timeframe } = row;
  const startMs = timeframe.startTime.getTime();
  const stopMs = timeframe.endTime.getTime();
  const within = { startMs, stopMs };
  const name = `time frame ${timeframeId}`;
  await enter(await requireFewStored(queries, name, [timeframe]));
  const { owned, found: chunks } = await readOwned(queries, timeframe, within, () =>
    readStored(sqlClientOf(queries), timeframe.deviceId, within),
  );
  requireFewRead(name, chunks);
  const texts = await computer.compute({
    deviceId: timeframe.deviceId,
    chunks,
    options: {
      preset: sportOf(row.schemaName),
      params: parametersIn(timeframe.params),
      from: startMs,
      to: stopMs,
      periods: owned.map(({ startMs, stopMs }) => ({ startMs, endMs: stopMs + 1 })),
      birthDate: row.birthDate,
    },
    recipes: row.recipes.map(({ recipe, ...named }) => ({ ...named, recipe: JSON.parse(recipe) as Recipe })),
    computedAtMs: clock.now().getTime(),
  });
  const { dataVersion } = timeframe;
  return { ...texts, timeframeVersion: version, dataVersion, rulesVersion: RULES_VERSION };
}

/**
 * Stores a result, unless the time frame or its data have changed, or retention has removed samples.
 * @returns whether it was stored
 */
async function store(
  { queries, clock }: Context,
  timeframeId: number,
  computed: ComputationResult,
): Promise<boolean> {
  const { timeframeVersion, dataVersion } = computed;
  return queries.transaction(async (tx) => {
    // The lock on the row prevents changes from incrementing its versions.
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
    const result = { ...computed, computedAt: clock.now() };
    await tx
      .insert(computedData)
      .values({ timeframeId, ...result })
      .onConflictDoUpdate({ target: computedData.timeframeId, set: result });
    return true;
  });
}
