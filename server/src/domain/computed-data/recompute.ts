import { isDeepStrictEqual } from "node:util";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { NOBODY } from "../../store/queue/job-queue.js";
import type { Interval } from "../../store/samples/index.js";
import { computedData, recomputations, timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Timeframe } from "../timeframes/rules.js";
import { instantsOf } from "./multirange.js";

/** Adds jobs that compute the data of time frames that have themselves changed. */
export async function queueComputation(
  unit: UnitOfWork,
  changed: readonly { id: number; ownerId: number }[],
): Promise<void> {
  await unit.enqueueAll(
    changed.map(({ id, ownerId }) => ({
      kind: "compute",
      payload: { timeframe: id },
      uniqueKey: String(id),
      chargedTo: ownerId,
    })),
  );
}

/** What has changed besides the time frames themselves. */
export type ChangedInput =
  | { athleteId: number }
  | { activityId: number }
  | {
      deviceId: number;
      /** Only the time frames of this manager; absent: of all. */
      ownerId?: number;
      /** Closed intervals. */
      changed: readonly Interval[];
      /** Whether the stored results go. */
      forgets?: boolean;
    };

/** Time frames that one transaction marks; others wait for it. */
const MARKED_AT_A_TIME = 200;

/**
 * Marks the computed data that depend on an input as stale and adds jobs that compute them again. Where there are many, marks the
 * first, and a job the rest: until then, `isPending` says that they are stale.
 */
export async function recompute(unit: UnitOfWork, input: ChangedInput): Promise<void> {
  if ("changed" in input && input.changed.length === 0) return;
  const forgets = "forgets" in input && input.forgets === true;
  const { last } = await mark(unit, matching(input), 0, forgets);
  if (last === undefined) return;
  const times = "changed" in input ? instantsOf(input.changed) : null;
  const [added] = await unit.queries
    .insert(recomputations)
    .values({
      athleteId: "athleteId" in input ? input.athleteId : null,
      activityId: "activityId" in input ? input.activityId : null,
      deviceId: "deviceId" in input ? input.deviceId : null,
      ownerId: "ownerId" in input ? (input.ownerId ?? null) : null,
      times,
      forgets,
      doneThrough: last.id,
    })
    .returning({ id: recomputations.id });
  if (added !== undefined) await queueRecomputation(unit, added.id, last.ownerId);
}

const queueRecomputation = (unit: UnitOfWork, id: number, chargedTo: number) =>
  unit.enqueueAll([{ kind: "recompute", payload: { recomputation: id }, uniqueKey: String(id), chargedTo }]);

function matching(input: ChangedInput): SQL | undefined {
  if ("athleteId" in input) return eq(timeframes.athleteId, input.athleteId);
  if ("activityId" in input) return eq(timeframes.activityId, input.activityId);
  return ofDevice(input.deviceId, input.ownerId, instantsOf(input.changed));
}

const ofDevice = (deviceId: number, ownerId: number | undefined, times: SQL): SQL | undefined =>
  and(
    eq(timeframes.deviceId, deviceId),
    ownerId === undefined ? undefined : eq(timeframes.ownerId, ownerId),
    sql`tstzrange(${timeframes.startTime}, ${timeframes.endTime}, '[]') && ${times}`,
  );

/** @returns the last one of as many as one transaction marks, if there may be more */
async function mark(
  unit: UnitOfWork,
  condition: SQL | undefined,
  after: number,
  forgets: boolean,
): Promise<{ last: { id: number; ownerId: number } | undefined }> {
  const { queries } = unit;
  // Locked in the order of their ids, so that two changes never wait for each other.
  const { rows } = await queries.execute<{ id: string; owner_id: string }>(sql`
    WITH matching AS (
      SELECT id FROM timeframes WHERE ${condition} AND id > ${after} ORDER BY id LIMIT ${MARKED_AT_A_TIME} FOR NO KEY UPDATE
    )
    UPDATE timeframes SET data_version = data_version + 1 FROM matching
    WHERE timeframes.id = matching.id RETURNING timeframes.id, timeframes.owner_id`);
  const marked = rows
    .map(({ id, owner_id }) => ({ id: Number(id), ownerId: Number(owner_id) }))
    .sort((a, b) => a.id - b.id);
  const ids = marked.map(({ id }) => id);
  if (forgets && ids.length > 0) {
    await queries.delete(computedData).where(inArray(computedData.timeframeId, ids));
  }
  await queueComputation(unit, marked);
  return { last: marked.length === MARKED_AT_A_TIME ? marked.at(-1) : undefined };
}

/**
 * Marks the next time frames of a change. May run again after an interruption.
 * @returns whether there are more
 */
export async function markNext(unit: UnitOfWork, id: number): Promise<boolean> {
  const { queries } = unit;
  const [row] = await queries.select().from(recomputations).where(eq(recomputations.id, id)).for("update");
  if (row === undefined) return false;
  const { athleteId, activityId, deviceId, ownerId, doneThrough, forgets } = row;
  const condition =
    athleteId !== null
      ? eq(timeframes.athleteId, athleteId)
      : activityId !== null
        ? eq(timeframes.activityId, activityId)
        : ofDevice(
            deviceId ?? 0,
            ownerId ?? undefined,
            sql`(SELECT ${recomputations.times} FROM ${recomputations} WHERE ${recomputations.id} = ${id})`,
          );
  const { last } = await mark(unit, condition, doneThrough, forgets);
  if (last === undefined) await queries.delete(recomputations).where(eq(recomputations.id, id));
  else await queries.update(recomputations).set({ doneThrough: last.id }).where(eq(recomputations.id, id));
  return last !== undefined;
}

/** Adds jobs for changes whose jobs have been lost. */
export async function queueLostRecomputations(unit: UnitOfWork): Promise<void> {
  const rows = await unit.queries.select({ id: recomputations.id }).from(recomputations);
  for (const { id } of rows) await queueRecomputation(unit, id, NOBODY);
}

/** Whose samples a result is computed from. The owner of a time frame does not change. */
const sourceOf = ({ athleteId, deviceId, startTime, endTime }: Timeframe) => [
  athleteId,
  deviceId,
  startTime,
  endTime,
];

/**
 * Deletes the stored result of a time frame that gets another athlete, device or time. After retention it would stay, and show
 * the figures of one athlete as those of another.
 */
export async function forgetReassignedResult(
  { queries }: UnitOfWork,
  before: Timeframe,
  after: Timeframe,
): Promise<void> {
  if (isDeepStrictEqual(sourceOf(before), sourceOf(after))) return;
  await queries.delete(computedData).where(eq(computedData.timeframeId, after.id));
}
