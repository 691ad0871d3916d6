import { and, eq } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import type { ActivityHead } from "../activities/rules.js";
import { authorize } from "../change/access.js";
import { accessRecheck } from "../change/access-recheck.js";
import type { Context } from "../change/context.js";
import { type Item, item } from "../change/entity-tags.js";
import { errors } from "../change/errors.js";
import { StreamedArray } from "../lists/streamed-array.js";
import { grantsOf } from "../permissions/coverage.js";
import type { Timeframe } from "../timeframes/rules.js";
import { type ComputationResult, computedDataOf } from "./compute.js";
import type { ComputedData } from "./computed-data.js";
import {
  OPTIONAL_DEFINITIONS,
  type OptionalDefinition,
  type OptionalFigures,
  withoutMetabolicPower,
} from "./optional-figures.js";
import { type PooledOfDays, pooledProfileOf } from "./pooled-profile.js";
import { type SeasonSpeed, seasonMaxSpeedOf } from "./season-speed.js";

/** Computed data, and the versions of the rules that computed it. */
interface Retrieved<T> {
  answer: T;
  definitionVersions: number[];
}

/**
 * The optional figures that a request selects, and whether it selects their definition. They are optional, because the API
 * documents nineteen keys.
 */
export interface WantedFigures {
  with_definition?: boolean;
  with_peaks?: boolean;
  /** Available only for a single time frame, because it compares the sessions of a year. */
  with_max_speed?: boolean;
  /** For a single time frame, also the profile of 28 days. */
  with_profile?: boolean;
  with_metabolic_power?: boolean;
  with_standard_runs?: boolean;
}

/** Optional figures, and the figures of the recipes that the time frame names. */
type MoreFigures = Omit<OptionalFigures, "definition"> & FiguresOfOthers;

/** Figures that depend on other time frames. */
interface FiguresOfOthers {
  season_max_speed?: SeasonSpeed | null;
  pooled_acceleration_speed?: PooledOfDays;
}

export type ShownComputedData = Omit<ComputedData, "definition"> & {
  definition?: ComputedData["definition"] & Partial<OptionalDefinition>;
} & Partial<MoreFigures>;

function shown(
  { data, further, sessionMaxSpeed }: ComputationResult,
  wanted: WantedFigures,
  { season_max_speed, pooled_acceleration_speed }: FiguresOfOthers = {},
): ShownComputedData {
  const { with_peaks, with_max_speed, with_profile, with_metabolic_power, with_standard_runs } = wanted;
  const { definition, ...figures }: ComputedData = JSON.parse(data);
  const { definition: rules, recipes, ...found }: OptionalFigures = JSON.parse(further);
  const { peak_demands, acceleration_speed = null, metabolic = null, standard_runs = null } = found;
  const {
    acceleration_speed: profileRules,
    metabolic: powerRules,
    standard_runs: runRules,
  } = OPTIONAL_DEFINITIONS;
  return {
    ...figures,
    ...(wanted.with_definition && {
      definition: {
        ...definition,
        ...(with_peaks && { peak_demands: rules.peak_demands }),
        ...(with_profile && { acceleration_speed: profileRules }),
        ...(with_metabolic_power && { metabolic: powerRules }),
        ...(with_standard_runs && { standard_runs: runRules }),
        ...(recipes && { recipes: rules.recipes ?? [] }),
      },
    }),
    ...(with_peaks && {
      peak_demands: with_metabolic_power ? peak_demands : withoutMetabolicPower(peak_demands),
    }),
    ...(with_max_speed && { session_max_speed: sessionMaxSpeed, season_max_speed: season_max_speed ?? null }),
    ...(with_profile && {
      acceleration_speed,
      ...(pooled_acceleration_speed && { pooled_acceleration_speed }),
    }),
    ...(with_metabolic_power && { metabolic }),
    ...(with_standard_runs && { standard_runs }),
    ...(recipes && { recipes }),
  };
}

const definitionVersionOf = ({ data }: ComputationResult): number =>
  (JSON.parse(data) as ComputedData).definition.version;

/**
 * Returns the computed data of a time frame in the state in which the caller's right was checked. In a different state,
 * the athlete may differ, so the right is checked again.
 * @param readAgain returns the current time frame if the caller may read it
 * @returns undefined if the time frame was deleted or may no longer be read
 */
async function resultOf<Frame extends { id: number; version: number }>(
  ctx: Context,
  frame: Frame,
  readAgain: () => Promise<Frame | undefined>,
): Promise<{ frame: Frame; result: ComputationResult } | undefined> {
  for (let known: Frame | undefined = frame; known !== undefined; ) {
    const result = await computedDataOf(ctx, known.id);
    if (result === undefined) return undefined;
    if (result.timeframeVersion === known.version) return { frame: known, result };
    const now = await readAgain();
    // A result kept after retention has an older version, but the same athlete, device and times.
    if (now?.version === known.version) return { frame: known, result };
    known = now;
  }
  return undefined;
}

/** Returns the computed data of a time frame. Computes it if it is not current. */
export async function retrieveComputedData(
  ctx: Context,
  timeframe: Timeframe,
  wanted: WantedFigures,
): Promise<Retrieved<Item<ShownComputedData>>> {
  let known: Frame = timeframe;
  // The computation may wait for other computations.
  const recheck = accessRecheck(ctx, async () => {
    if ((await readableOf(ctx, [known])).length === 0) throw errors.forbidden();
  });
  const found = await resultOf(ctx, timeframe, () =>
    authorize(ctx, "retrieveTimeframeComputedData", { timeframe: timeframe.id }),
  );
  // The time frame was deleted.
  if (found === undefined) throw errors.notFound();
  known = found.frame;
  await recheck();
  const { with_max_speed, with_profile } = wanted;
  const { frame, result } = found;
  const season = with_max_speed || with_profile ? await seasonMaxSpeedOf(ctx, frame) : undefined;
  const others: FiguresOfOthers = {
    season_max_speed: season?.speed ?? null,
    ...(with_profile && season && { pooled_acceleration_speed: await pooledProfileOf(ctx, frame, season) }),
  };
  return {
    answer: item(shown(result, wanted, others)),
    definitionVersions: [definitionVersionOf(result)],
  };
}

export interface ComputedTimeframe {
  timeframe: number;
  data: ShownComputedData;
}

/** Number of time frames of one request that are computed concurrently. Other requests can run in between. */
const AT_A_TIME = 2;

/**
 * Maximum number of characters of results that one request keeps in memory. A result can have 400,000 if its recipes list many
 * runs.
 */
const MAX_KEPT = 4 * 1024 * 1024;

/**
 * Returns the computed data of the time frames of an activity that the caller may read. Results that exceed `MAX_KEPT` are read again
 * while they are sent.
 * @throws ServiceError `forbidden` if the activity has time frames, but the caller may read none of them
 */
export async function retrieveActivityComputedData(
  ctx: Context,
  activity: ActivityHead,
  wanted: Omit<WantedFigures, "with_max_speed">,
): Promise<Retrieved<ComputedTimeframe[] | StreamedArray<ComputedTimeframe>>> {
  const frames = await framesOf(ctx, activity);
  const readable = await readableOf(ctx, frames);
  if (frames.length > 0 && readable.length === 0) throw errors.forbidden();
  const read = (frame: Frame) =>
    resultOf(ctx, frame, async () => {
      const [now] = await readableOf(ctx, await framesOf(ctx, activity, frame.id));
      return now;
    });
  let found: { frame: Frame; result: ComputationResult | null }[] = [];
  const definitionVersions = new Set<number>();
  let kept = 0;
  // The computations may take a long time.
  const recheck = accessRecheck(ctx, async () => {
    const stillReadable = new Set(
      await readableOf(
        ctx,
        found.map(({ frame }) => frame),
      ),
    );
    found = found.filter(({ frame }) => stillReadable.has(frame));
  });
  for (let at = 0; at < readable.length; at += AT_A_TIME) {
    if (ctx.signal?.aborted) break;
    await recheck();
    for (const one of await Promise.all(readable.slice(at, at + AT_A_TIME).map(read))) {
      if (one === undefined) continue;
      const { frame, result } = one;
      definitionVersions.add(definitionVersionOf(result));
      kept += result.data.length + result.further.length;
      found.push({ frame, result: kept <= MAX_KEPT ? result : null });
    }
  }
  await recheck();
  async function* batches(): AsyncGenerator<ComputedTimeframe[]> {
    for (const one of found) {
      await recheck();
      if (!found.includes(one)) continue;
      const result = one.result ?? (await read(one.frame))?.result;
      if (result !== undefined) yield [{ timeframe: one.frame.id, data: shown(result, wanted) }];
    }
  }
  if (kept > MAX_KEPT) {
    return {
      answer: new StreamedArray(batches(), MAX_KEPT),
      definitionVersions: [...definitionVersions],
    };
  }
  const answer: ComputedTimeframe[] = [];
  for await (const batch of batches()) answer.push(...batch);
  return { answer, definitionVersions: [...definitionVersions] };
}

type Frame = Pick<Timeframe, "id" | "version" | "athleteId" | "startTime" | "endTime">;

/** Reads the current time frames of an activity. @param id only this time frame */
const framesOf = ({ queries }: Context, activity: ActivityHead, id?: number): Promise<Frame[]> =>
  queries
    .select({
      id: timeframes.id,
      version: timeframes.version,
      athleteId: timeframes.athleteId,
      startTime: timeframes.startTime,
      endTime: timeframes.endTime,
    })
    .from(timeframes)
    .where(and(eq(timeframes.activityId, activity.id), id === undefined ? undefined : eq(timeframes.id, id)))
    .orderBy(timeframes.id);

/** Returns the time frames that the caller may read now. */
async function readableOf({ queries, caller }: Context, frames: readonly Frame[]): Promise<Frame[]> {
  const grants = await grantsOf(queries, caller?.id ?? 0, "READ", frames);
  return frames.filter(({ athleteId, startTime, endTime }) => grants.cover(athleteId, startTime, endTime));
}
