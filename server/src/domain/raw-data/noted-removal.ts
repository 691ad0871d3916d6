import { and, eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { isWaiting } from "../../store/queue/job-queue.js";
import { chunkTables, sqlClientOf } from "../../store/samples/index.js";
import { jobs } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { Events } from "../change/events.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/*
 * A sample server commits before the coordinator, which contains the change log. If the coordinator then fails, the
 * samples are gone, and no reader has been told about it. The removal is therefore noted first: the transaction that
 * removes samples is rolled back once, a second transaction adds a job that announces the removal, and then the removal
 * runs again and deletes this job. After a failure of the coordinator, the job remains and runs.
 */

/** Events that announce removed samples. */
const ANNOUNCED = ["samplesErased", "samplesExpired", "samplesDeleted"] as const;
type Announced = (typeof ANNOUNCED)[number];

/** An event as the payload of a job. */
interface Announcement {
  name: Announced;
  event: Events[Announced];
}

const KIND = "removal";

/**
 * Time until the job is due. The transaction that deletes the job begins immediately, and then no worker can lease the
 * job. After a failure of the coordinator, its connections to the sample servers, which may still commit, have ended by
 * then: see `store/sample-servers/move-schema.ts`.
 */
const DUE_AFTER_MS = 60_000;

/** Loads may change the samples between two attempts. */
const MAX_TRIES = 10;

/** The removal has not been noted, or was noted with different samples. */
class NotNoted extends Error {
  readonly announcement: Announcement;

  constructor(announcement: Announcement) {
    super("The removal of samples has not been noted");
    this.announcement = announcement;
  }
}

interface Note {
  jobId: string;
  text: string;
}

/** Runs a transaction. */
export type Run = <T>(work: (unit: UnitOfWork) => Promise<T>) => Promise<T>;

/**
 * Runs a transaction that removes samples and announces it. If the samples are on other servers, the removal is noted
 * first. It is then announced even if the coordinator fails between the commit of the server and its own.
 * @param work runs several times
 */
export async function removeNoted<T>(run: Run, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
  let note: Note | undefined;
  for (let tries = 1; ; tries++) {
    let isWorkDone = false;
    try {
      return await run(async (unit) => {
        isWorkDone = false;
        const noted = note !== undefined && (await takeNote(unit.queries, note)) ? note.text : undefined;
        const result = await work(await requiringNote(unit, noted));
        isWorkDone = true;
        return result;
      });
    } catch (error) {
      // After an error of the commit itself, the server may have committed.
      if (note !== undefined && !isWorkDone) await run(({ queries }) => takeNote(queries, note as Note));
      if (!(error instanceof NotNoted) || tries === MAX_TRIES) throw error;
      note = await run((unit) => addNote(unit, error.announcement));
    }
  }
}

/** Runs the job that remains after a failure. */
export async function announceNoted(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  const { name, event } = payload as unknown as Announcement;
  await transact(ctx, "removal noted", (unit) => unit.announce(name, event));
}

async function requiringNote(unit: UnitOfWork, noted: string | undefined): Promise<UnitOfWork> {
  const [table] = await chunkTables(sqlClientOf(unit.queries));
  if (table === "sample_chunks") return unit;
  return {
    ...unit,
    async announce(name, event) {
      const removal = removalOf(name, event);
      if (removal !== null && JSON.stringify(removal) !== noted) throw new NotNoted(removal);
      await unit.announce(name, event);
    },
  };
}

function removalOf(name: keyof Events, event: Events[keyof Events]): Announcement | null {
  const isRemoval = ANNOUNCED.some((one) => one === name) && "removed" in event && event.removed.length > 0;
  return isRemoval ? ({ name, event } as Announcement) : null;
}

async function addNote(unit: UnitOfWork, announcement: Announcement): Promise<Note> {
  const job = await unit.enqueue({ kind: KIND, payload: { ...announcement }, delayMs: DUE_AFTER_MS });
  if (job === undefined) throw new Error("The removal was not noted");
  return { jobId: job.jobId, text: JSON.stringify(announcement) };
}

/** Deletes the job. @returns false if a worker has leased it */
async function takeNote(queries: Queries, { jobId }: Note): Promise<boolean> {
  const taken = await queries
    .delete(jobs)
    .where(and(eq(jobs.jobId, jobId), isWaiting))
    .returning({ id: jobs.id });
  return taken.length > 0;
}
