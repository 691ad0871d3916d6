import { and, inArray, isNull } from "drizzle-orm";
import { addToPayload } from "../../store/lease.js";
import { type Job, NOBODY } from "../../store/queue.js";
import { webhooks } from "../../store/schema.js";
import { transact } from "../change.js";
import type { Context } from "../context.js";
import { type ActivityEventKind, deliveriesOf } from "./events.js";
import { writeDeliveries } from "./write.js";

/** Events of one change that are too many to be written within it; the payload of a job of the kind `webhook-fan-out`. */
export interface FanOut {
  event: ActivityEventKind;
  /** The webhooks as they were; they are called although they were deleted with their activity. */
  outlives: boolean;
  webhooks: { id: number; activityId: number; url: string; secretToken: string }[];
  /** Ids of activities and their time frames. */
  subjects: [activityId: number, timeframeId: number | null][];
  /** Deliveries written so far. */
  done?: number;
}

/** Deliveries that one transaction writes: short enough for others to wait. */
const PER_TRANSACTION = 200;

/** Writes the deliveries, a few at a time. A worker that takes over begins where the last one ended. */
export async function fanOut(ctx: Context, job: Job): Promise<{ deliveries: number }> {
  const payload = job.payload as unknown as FanOut;
  const wanted = deliveriesOf(payload);
  for (let done = payload.done ?? 0; done < wanted.length; done += PER_TRANSACTION) {
    const slice = wanted.slice(done, done + PER_TRANSACTION);
    await transact(ctx, "fan out webhooks", async (change) => {
      const { queries } = change;
      await addToPayload(queries, job, { done: done + slice.length });
      const told = payload.outlives
        ? undefined
        : await queries
            .select({ id: webhooks.id })
            .from(webhooks)
            .where(
              and(
                inArray(webhooks.id, [...new Set(slice.map(({ webhookId }) => webhookId))]),
                isNull(webhooks.disabledAt),
              ),
            )
            .for("key share");
      const known = told && new Set(told.map(({ id }) => id));
      await writeDeliveries(
        change,
        job.chargedTo ?? NOBODY,
        slice.filter(({ webhookId }) => known?.has(webhookId) ?? true),
      );
    });
  }
  return { deliveries: wanted.length };
}
