import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { type Job, jobColumns } from "../../store/queue/job-queue.js";
import type { Interval } from "../../store/samples/index.js";
import { jobs } from "../../store/schema.js";
import { EARLIEST_MS, LATEST_MS } from "../../wire/date-time.js";
import { changeInParts } from "../change/begin-again.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { OwnedDevice } from "../ownerships/rules.js";

/** Members of the payload that are kept after a load: what was loaded, and its first and last time in ms. */
const KEPT = ["device", "sha256", "from", "to"];

/**
 * Returns the part of a job's payload that is kept after its success, so that the job can be found. Nothing is kept without a
 * recording, or if samples were refused, because they may be accepted later.
 */
export const rememberedOf = ({ samples_refused }: Record<string, unknown>): SQL | Record<string, never> =>
  samples_refused === 0
    ? sql`CASE WHEN ${jobs.payload} ? 'sha256' THEN (
        SELECT jsonb_object_agg(key, value) FROM jsonb_each(${jobs.payload}) WHERE key = ANY (${sql.param(KEPT)}::text[])
      ) ELSE '{}' END`
    : {};

/**
 * Returns the job that makes another load of a recording unnecessary, because it will store or has stored all samples.
 * @param sha256 hash of the recording
 */
export async function findRepeated(
  queries: Queries,
  { device, ownership }: OwnedDevice,
  sha256: string,
): Promise<Job | undefined> {
  const [found] = await queries
    .select(jobColumns)
    .from(jobs)
    .where(
      and(
        eq(jobs.chargedTo, ownership.managerId),
        sql`${jobs.payload} ? 'sha256'`,
        sql`${jobs.payload}->>'device' = ${String(device.id)}`,
        sql`${jobs.payload}->>'sha256' = ${sha256}`,
        inArray(jobs.state, ["PENDING", "RETRY", "STARTED", "SUCCESS"]),
      ),
    )
    .orderBy(desc(jobs.id))
    .limit(1);
  return found;
}

/** Returns a rectangle of device and times; see the index `jobs_loaded_times`. */
const rectangle = (device: SQL, from: SQL, to: SQL): SQL =>
  sql`box(point((${device})::float8, (${from})::float8), point((${device})::float8, (${to})::float8))`;

const payload = (name: "device" | "from" | "to"): SQL => sql`${jobs.payload}->>'${sql.raw(name)}'`;

/**
 * Deletes the hashes of recordings whose samples were deleted, so that they can be uploaded again. Without its hash, a recording is
 * only loaded again.
 */
export function deleteRecordingHashes(
  unit: UnitOfWork,
  { deviceId, startMs, stopMs }: Interval & { deviceId: number },
): Promise<void> {
  const at = (ms: number) => sql`${Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS)}`;
  // Only a load that has stored samples has times. It may not have recorded the outcome yet.
  const isDuring = sql`${jobs.payload} ? 'sha256' AND ${jobs.payload} ? 'from'
    AND ${rectangle(payload("device"), payload("from"), payload("to"))} && ${rectangle(sql`${deviceId}`, at(startMs), at(stopMs))}`;
  const withoutHash = sql`UPDATE ${jobs} SET payload = payload - ${sql.param(["sha256", "from", "to"])}::text[]`;
  return changeInParts(unit, async (queries, limit) => {
    // by id, because the worker of a load that has just stored its last samples changes the same row
    const next = sql`SELECT id FROM ${jobs} WHERE ${isDuring} LIMIT ${limit} FOR UPDATE`;
    const { rowCount } = await queries.execute(sql`${withoutHash} WHERE id = ANY(ARRAY(${next}))`);
    return rowCount ?? 0;
  });
}
