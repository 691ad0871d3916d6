import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { saveProgress } from "../../store/queue/job-lease.js";
import { type Job, NOBODY } from "../../store/queue/job-queue.js";
import { type Turn, TurnEnded } from "../../store/queue/turn.js";
import { accounts, webhooks } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { countNotSent, type NewDelivery } from "./delivery-limits.js";
import { createDeliveries } from "./delivery-queue.js";
import { deliveriesOf, type FanOut } from "./events.js";

/**
 * Number of deliveries that one transaction writes. The transaction must be short, because other transactions wait for it. If the
 * account has no room, one transaction counts the rest.
 */
const PER_TRANSACTION = 200;

interface Progress {
  /** Number of deliveries written so far. */
  done?: number;
}

/**
 * Writes the deliveries in batches. A worker that takes over continues after the last batch. Stops when the account that owns the
 * webhooks has been deleted; closing an account deletes the job. Continues for a disabled account, like its other deliveries,
 * because receivers must learn about deletions.
 * @throws TurnEnded
 */
export async function fanOut(ctx: Context, job: Job, turn: Turn): Promise<{ deliveries: number }> {
  const payload = job.payload as unknown as FanOut;
  const wanted = deliveriesOf(payload);
  const { done: before = 0 } = job.details as Progress;
  let done = before;
  while (done < wanted.length) {
    if (done > before && turn.isOver) throw new TurnEnded();
    const slice = wanted.slice(done, done + PER_TRANSACTION);
    const written = await transact(ctx, "fan out webhooks", (unit) =>
      writeSlice(unit, job, slice, done + slice.length, createDeliveries),
    );
    if (written === null) break;
    done += slice.length;
    if (!written.isFull || done === wanted.length) continue;
    const rest = wanted.slice(done);
    const counted = await transact(ctx, "fan out webhooks", (unit) =>
      writeSlice(unit, job, rest, wanted.length, countNotSent),
    );
    if (counted === null) break;
    done = wanted.length;
  }
  return { deliveries: done };
}

/**
 * @param write creates the deliveries, or counts them as not sent
 * @returns null when the account is deleted and nothing was written
 */
async function writeSlice<Written>(
  unit: UnitOfWork,
  job: Job,
  slice: readonly NewDelivery[],
  done: number,
  write: (unit: UnitOfWork, owner: number, wanted: readonly NewDelivery[]) => Promise<Written>,
): Promise<Written | null> {
  const { queries } = unit;
  const owner = job.chargedTo ?? NOBODY;
  // Lock the account before the job, in the same order as the deletion of an account.
  if (owner !== NOBODY && !(await lockAccount(queries, owner))) return null;
  await saveProgress(queries, job, { done } satisfies Progress);
  const { outlives } = job.payload as unknown as FanOut;
  const enabled = outlives
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
  const known = enabled && new Set(enabled.map(({ id }) => id));
  return write(
    unit,
    owner,
    slice.filter(({ webhookId }) => known?.has(webhookId) ?? true),
  );
}

/** Prevents the deletion of an account until the transaction ends. @returns false when it is deleted */
async function lockAccount(queries: Queries, id: number): Promise<boolean> {
  const found = await queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.id, id))
    .for("key share");
  return found.length > 0;
}
