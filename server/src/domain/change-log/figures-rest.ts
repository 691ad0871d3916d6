import { saveProgress } from "../../store/queue/job-lease.js";
import type { Job } from "../../store/queue/job-queue.js";
import { type Turn, TurnEnded } from "../../store/queue/turn.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { type FiguresLeft, recordNext } from "./figures.js";

/**
 * Runs the job of `recordFigures`. A worker that takes over continues after the last batch.
 * @throws TurnEnded
 */
export async function recordRest(ctx: Context, job: Job, turn: Turn): Promise<{ recorded: number }> {
  let count = 0;
  // The progress contains the position after which the work continues.
  let rest: FiguresLeft | undefined = { ...job.payload, ...job.details } as unknown as FiguresLeft;
  while (rest !== undefined) {
    const begun: FiguresLeft = rest;
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
