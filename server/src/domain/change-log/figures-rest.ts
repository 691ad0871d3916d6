import { saveProgress } from "../../store/queue/job-lease.js";
import type { Job } from "../../store/queue/job-queue.js";
import { type Turn, TurnEnded } from "../../store/queue/turn.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { recordNextSessions, type SessionsLeft } from "./figures.js";
import { type GivenReaders, type ReadersLeft, recordNextReaders } from "./objects.js";
import { recordPairs } from "./record.js";

/** Payload of a job, and its progress. */
type Left = SessionsLeft | ReadersLeft | GivenReaders;

async function recordNext(
  unit: UnitOfWork,
  left: Left,
): Promise<{ recorded: number; left: SessionsLeft | ReadersLeft | undefined }> {
  if ("id" in left) return recordNextReaders(unit, left);
  if (!("pairs" in left)) return recordNextSessions(unit, left);
  await recordPairs(unit, left.kind, left.pairs);
  return { recorded: left.pairs.length, left: undefined };
}

/**
 * Runs a job that records changes. A worker that takes over continues after the last batch.
 * @throws TurnEnded
 */
export async function recordRest(ctx: Context, job: Job, turn: Turn): Promise<{ recorded: number }> {
  let count = 0;
  // The progress contains the position after which the work continues.
  let rest: Left | undefined = { ...job.payload, ...job.details } as unknown as Left;
  while (rest !== undefined) {
    const begun: Left = rest;
    const { recorded, left } = await transact(ctx, "record figures", async (unit) => {
      const next = await recordNext(unit, begun);
      if (next.left !== undefined) await saveProgress(unit.queries, job, { after: next.left.after });
      return next;
    });
    count += recorded;
    rest = left;
    if (rest !== undefined && turn.isOver) throw new TurnEnded();
  }
  return { recorded: count };
}
