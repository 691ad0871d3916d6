import { eq } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { accessRecheck } from "../access-recheck.js";
import type { ActivityHead } from "../activities/rules.js";
import type { Context } from "../context.js";
import { type Item, item } from "../entity-tags.js";
import { errors } from "../errors.js";
import { grantsOf } from "../permissions/coverage.js";
import type { Timeframe } from "../timeframes/rules.js";
import { type ComputationResult, computedDataOf } from "./compute.js";
import type { ComputedData } from "./computed-data.js";

/** Computed data, and the versions of the rules that computed them. */
interface Retrieved<T> {
  answer: T;
  definitionVersions: number[];
}

/** The API documents nineteen keys. The rules and parameters of the computation are returned on request. */
export type ShownComputedData = Omit<ComputedData, "definition"> & Partial<Pick<ComputedData, "definition">>;

function shown({ data }: ComputationResult, withDefinition: boolean): ShownComputedData {
  const { definition, ...figures }: ComputedData = JSON.parse(data);
  return withDefinition ? { ...figures, definition } : figures;
}

/** The computed data of a time frame. Computes them now if they are not current. */
export async function retrieveComputedData(
  ctx: Context,
  { id }: Timeframe,
  withDefinition: boolean,
): Promise<Retrieved<Item<ShownComputedData>>> {
  const result = await computedDataOf(ctx, id);
  // Deleted in the meantime.
  if (result === undefined) throw errors.notFound();
  return {
    answer: item(shown(result, withDefinition)),
    definitionVersions: [result.definitionVersion],
  };
}

interface ComputedTimeframe {
  timeframe: number;
  data: ShownComputedData;
}

/** Time frames of one request that are computed at a time, so that other requests get their turn. */
const AT_A_TIME = 2;

/**
 * The computed data of the time frames of an activity that the caller may read.
 * @throws ServiceError `forbidden` when the activity has time frames, but the caller may read none of them
 */
export async function retrieveActivityComputedData(
  ctx: Context,
  activity: ActivityHead,
  withDefinition: boolean,
): Promise<Retrieved<ComputedTimeframe[]>> {
  const frames = await ctx.queries
    .select({
      id: timeframes.id,
      athleteId: timeframes.athleteId,
      startTime: timeframes.startTime,
      endTime: timeframes.endTime,
    })
    .from(timeframes)
    .where(eq(timeframes.activityId, activity.id))
    .orderBy(timeframes.id);
  const athletes = frames.map(({ athleteId }) => athleteId);
  const readableNow = async () => {
    const grants = await grantsOf(ctx.queries, ctx.caller?.id ?? 0, "READ", athletes);
    return frames.filter(({ athleteId, startTime, endTime }) => grants.cover(athleteId, startTime, endTime));
  };
  let allowed: ReadonlySet<number> | undefined;
  // The computations may take long.
  const recheck = accessRecheck(ctx, async () => {
    allowed = new Set((await readableNow()).map(({ id }) => id));
  });
  const readable = await readableNow();
  if (frames.length > 0 && readable.length === 0) throw errors.forbidden();
  const found: ComputedTimeframe[] = [];
  const definitionVersions = new Set<number>();
  for (let at = 0; at < readable.length; at += AT_A_TIME) {
    if (ctx.signal?.aborted) break;
    await recheck();
    const ids = readable.slice(at, at + AT_A_TIME).map(({ id }) => id);
    const results = await Promise.all(ids.map((id) => computedDataOf(ctx, id)));
    results.forEach((result, i) => {
      const timeframe = ids[i];
      if (result === undefined || timeframe === undefined) return;
      found.push({ timeframe, data: shown(result, withDefinition) });
      definitionVersions.add(result.definitionVersion);
    });
  }
  await recheck();
  const answer = found.filter(({ timeframe }) => allowed?.has(timeframe) ?? true);
  return { answer, definitionVersions: [...definitionVersions] };
}
