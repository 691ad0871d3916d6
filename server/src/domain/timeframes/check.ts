import { isDeepStrictEqual } from "node:util";
import { type ParameterOverrides, parameterProblems } from "asi-convert/metrics";
import { and, between, count, eq, gt, inArray } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { accounts, activities, timeframes } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { errors, type FieldErrors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { JsonSchemaRow } from "../json-schemas/rules.js";
import { sportOf } from "../json-schemas/sport.js";
import { findJsonSchema, validateAgainst } from "../json-schemas/validate.js";
import { boundsProblem } from "../lists/json-bounds.js";
import { hasOwned } from "../ownerships/rules.js";
import { grantsOf } from "../permissions/coverage.js";
import { findNamed, type RecipeReference } from "../recipes/named.js";
import { MAX_LENGTH_DAYS } from "../sample-ownership/wearers.js";
import type { NewTimeframe } from "./resource.js";
import type { Timeframe } from "./rules.js";

const MAX_LENGTH_MS = MAX_LENGTH_DAYS * 86_400_000;

/**
 * Checks the rules of a time frame. Reports the problems of its values and of the objects to which it refers together,
 * and then checks the caller's rights. These objects cannot be deleted until the end of the transaction.
 * @param before the time frame before an update: unchanged parameters have already been checked
 * @returns its columns, and the recipes that its params name; undefined: those that they named before
 * @throws ServiceError `invalid`, `forbidden`
 */
export async function checkTimeframe(
  { caller }: Context,
  { queries }: UnitOfWork,
  timeframe: NewTimeframe,
  before?: Timeframe,
) {
  const me = caller?.id ?? 0;
  const { start_time: startTime, end_time: endTime, athlete, params } = timeframe;
  const activity = await findActivity(queries, timeframe.activity);
  const after = { athleteId: athlete, startTime, endTime };
  const needed = before === undefined ? [after] : [after, before];
  const grants = await grantsOf(queries, me, "WRITE", needed, { lock: true });
  const schema = await findJsonSchema(queries, timeframe.json_schema, "TIMEFRAME");
  const isChecked = before !== undefined && isSame(timeframe, before);
  const invalidParams = schema === undefined || isChecked ? {} : paramsProblems(schema, params);
  const { recipeIds, unknownRecipes } =
    schema === undefined || isChecked || invalidParams.params !== undefined
      ? { recipeIds: undefined, unknownRecipes: {} }
      : await namedRecipes(queries, me, params);
  const problems: FieldErrors = {
    ...periodProblems(startTime, endTime),
    ...((await hasOwned(queries, me, timeframe.device))
      ? {}
      : { device: ["You have no device with this id."] }),
    ...(activity === undefined ? unknown("activity", "activity") : {}),
    ...((await isAthlete(queries, athlete)) ? {} : unknown("athlete", "athlete")),
    ...(schema === undefined
      ? unknown("json_schema", "JSON schema of type TIMEFRAME")
      : {
          ...parentProblems(schema, activity, before),
          ...invalidParams,
          ...unknownRecipes,
        }),
  };
  if (Object.keys(problems).length > 0) throw errors.invalid(problems);
  if (timeframe.owner !== me) throw errors.forbidden("The owner must be yourself.");
  if (activity?.ownerId !== me) throw errors.forbidden("The activity must be your own.");
  if (!grants.cover(athlete, startTime, endTime)) {
    throw errors.forbidden("You need WRITE permission for the athlete from start_time to end_time.");
  }
  if (
    before !== undefined &&
    !saysTheSame(before, timeframe) &&
    !grants.cover(before.athleteId, before.startTime, before.endTime)
  ) {
    // An athlete who has revoked the permission keeps the samples.
    throw errors.forbidden(
      "You need WRITE permission for the athlete of the time frame to change its athlete, device or time.",
    );
  }
  const columns = {
    startTime,
    endTime,
    params: params as Record<string, unknown>,
    deviceId: timeframe.device,
    activityId: timeframe.activity,
    athleteId: athlete,
    ownerId: timeframe.owner,
    jsonSchemaId: timeframe.json_schema,
  };
  return { columns, recipeIds };
}

/** @param params valid against their JSON schema */
async function namedRecipes(queries: Queries, accountId: number, params: { recipes?: RecipeReference[] }) {
  const found = await findNamed(queries, accountId, params.recipes ?? []);
  const missing = [...found.entries()].filter(([, id]) => id === undefined);
  const messages = missing.map(([place]) => [
    place,
    ["You have no recipe with this name and version, or with this hash."],
  ]);
  const unknownRecipes: FieldErrors =
    missing.length === 0 ? {} : { params: { recipes: Object.fromEntries(messages) } };
  return { recipeIds: found.filter((id) => id !== undefined), unknownRecipes };
}

const isSame = ({ params, json_schema }: NewTimeframe, before: Timeframe) =>
  json_schema === before.jsonSchemaId && isDeepStrictEqual(params, before.params);

/** Whether athlete, device and time of a time frame are unchanged. */
export const saysTheSame = (before: Timeframe, after: NewTimeframe): boolean =>
  before.athleteId === after.athlete &&
  before.deviceId === after.device &&
  before.startTime.getTime() === after.start_time.getTime() &&
  before.endTime.getTime() === after.end_time.getTime();

const unknown = (field: string, what: string): FieldErrors => ({
  [field]: [`There is no ${what} with this id.`],
});

function periodProblems(startTime: Date, endTime: Date): FieldErrors {
  const lengthMs = endTime.getTime() - startTime.getTime();
  if (lengthMs <= 0) return { end_time: ["Must be after start_time."] };
  if (lengthMs > MAX_LENGTH_MS)
    return { end_time: [`Must be at most ${MAX_LENGTH_DAYS} days after start_time.`] };
  return {};
}

/** Checks that the parent of the schema of `params` is the schema of the activity. An existing pair may remain. */
function parentProblems(
  schema: JsonSchemaRow,
  activity: { id: number; jsonSchemaId: number } | undefined,
  before: Timeframe | undefined,
): FieldErrors {
  const stays = before?.jsonSchemaId === schema.id && before.activityId === activity?.id;
  if (activity === undefined || stays || schema.parentId === activity.jsonSchemaId) return {};
  return { json_schema: ["The parent of this JSON schema is not the JSON schema of the activity."] };
}

/**
 * Checks the JSON schema first, because the checks of relations between parameters require values of the right type.
 */
function paramsProblems(schema: JsonSchemaRow, params: object): FieldErrors {
  const tooMuch = boundsProblem(params);
  if (tooMuch !== undefined) return { params: [tooMuch] };
  const invalid = validateAgainst(schema, params);
  if (invalid !== undefined) return { params: invalid };
  const found: FieldErrors = {};
  for (const { parameter, message } of parameterProblems(
    sportOf(schema.name),
    params as ParameterOverrides,
  )) {
    const known = found[parameter];
    found[parameter] = [...(Array.isArray(known) ? known : []), message];
  }
  return Object.keys(found).length === 0 ? {} : { params: found };
}

async function findActivity(queries: Queries, id: number) {
  const { id: activityId, ownerId, jsonSchemaId } = activities;
  const [activity] = await queries
    .select({ id: activityId, ownerId, jsonSchemaId })
    .from(activities)
    .where(eq(activities.id, id))
    .for("key share");
  return activity;
}

async function isAthlete(queries: Queries, id: number): Promise<boolean> {
  const found = await queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, id), eq(accounts.role, "ATHLETE")));
  return found.length > 0;
}

/**
 * Limits the number of time frames, because an activity and its last time frames are deleted in one transaction.
 * @throws ServiceError `too_many_timeframes`
 */
export async function requireActivityTakesMore(
  { queries, config }: UnitOfWork,
  activityId: number,
  more = 1,
): Promise<void> {
  const known = await queries.$count(timeframes, eq(timeframes.activityId, activityId));
  if (known + more > config.activityMaxTimeframes) throw tooManyTimeframes(config.activityMaxTimeframes);
}

/**
 * Maximum number of time frames of a device that begin within seven days of new ones of the same manager. A change of samples reads
 * all time frames that may include the samples, and none is longer than seven days.
 */
const MAX_NEAR = 20_000;

/**
 * Limits the number of time frames of each device near new ones, which have been written.
 * @param rows new time frames of one manager
 * @throws ServiceError `too_many_timeframes`
 */
export async function requireDevicesTake(
  { queries }: UnitOfWork,
  rows: readonly Pick<Timeframe, "deviceId" | "ownerId" | "startTime">[],
): Promise<void> {
  const startsMs = rows.map(({ startTime }) => startTime.getTime());
  const fromMs = startsMs.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
  const toMs = startsMs.reduce((most, ms) => Math.max(most, ms), Number.NEGATIVE_INFINITY);
  const full = await queries
    .select({ deviceId: timeframes.deviceId })
    .from(timeframes)
    .where(
      and(
        inArray(timeframes.deviceId, [...new Set(rows.map(({ deviceId }) => deviceId))]),
        inArray(timeframes.ownerId, [...new Set(rows.map(({ ownerId }) => ownerId))]),
        between(timeframes.startTime, new Date(fromMs - MAX_LENGTH_MS), new Date(toMs + MAX_LENGTH_MS)),
      ),
    )
    .groupBy(timeframes.deviceId)
    .having(gt(count(), MAX_NEAR));
  if (full.length === 0) return;
  throw errors.conflict(
    "too_many_timeframes",
    `A device can have at most ${MAX_NEAR} time frames that begin within ${MAX_LENGTH_DAYS} days of each other. Delete some first.`,
  );
}

export const tooManyTimeframes = (limit: number) =>
  errors.conflict(
    "too_many_timeframes",
    `An activity can have at most ${limit} time frames. Use another activity for further time frames.`,
  );
