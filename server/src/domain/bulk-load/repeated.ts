import { and, desc, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { type Job, jobColumns } from "../../store/queue/job-queue.js";
import type { Interval } from "../../store/samples/index.js";
import { jobs, ownerships } from "../../store/schema.js";
import { EARLIEST_MS, LATEST_MS } from "../../wire/date-time.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { OwnedDevice } from "../ownerships/rules.js";

const ofDevice = (id: number): SQL | undefined =>
  and(eq(jobs.kind, "bulk-load"), sql`${jobs.payload}->>'device' = ${String(id)}`);

/** The part of a job's payload that is kept after its success. It identifies the job of a repeated upload. */
export const REMEMBERED: SQL = sql`CASE WHEN ${jobs.payload} ? 'sha256'
  THEN jsonb_build_object('device', ${jobs.payload}->'device', 'sha256', ${jobs.payload}->'sha256') ELSE '{}' END`;

/**
 * Returns the job that makes another load of a recording unnecessary: it will store its samples, or has stored all of
 * them. A job that refused samples does not count, because they may be accepted now.
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
        ofDevice(device.id),
        sql`${jobs.payload}->>'sha256' = ${sha256}`,
        or(
          inArray(jobs.state, ["PENDING", "RETRY", "STARTED"]),
          and(eq(jobs.state, "SUCCESS"), sql`${jobs.details}->>'samples_refused' = '0'`),
        ),
      ),
    )
    .orderBy(desc(jobs.id))
    .limit(1);
  return found;
}

/** Deletes the hashes of recordings if their samples were deleted. The recordings can then be uploaded again. */
export async function deleteRecordingHashes(
  { queries }: UnitOfWork,
  { deviceId, startMs, stopMs }: Interval & { deviceId: number },
): Promise<void> {
  const owners = queries
    .select({ id: ownerships.managerId })
    .from(ownerships)
    .where(eq(ownerships.deviceId, deviceId));
  const at = (ms: number) => new Date(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS));
  // A worker may have committed the load but not the outcome.
  const loaded = sql`coalesce(${jobs.payload}->'details', ${jobs.details})`;
  const time = (name: "start" | "stop") => sql`(${loaded}->>${name}::text)::timestamptz`;
  await queries
    .update(jobs)
    .set({ payload: sql`${jobs.payload} - 'sha256'` })
    .where(
      and(
        inArray(jobs.chargedTo, owners),
        ofDevice(deviceId),
        sql`${jobs.payload} ? 'sha256'`,
        sql`${time("start")} <= ${at(stopMs)} AND ${time("stop")} >= ${at(startMs)}`,
      ),
    );
}
