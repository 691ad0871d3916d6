import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { currentCaller, onBehalfOf } from "../../fairness/callers.js";
import {
  type Interval,
  type SampleColumns,
  sliceColumns,
  sqlClientOf,
  streamSamples,
} from "../../store/samples/index.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { intersect } from "../sample-ownership/intervals.js";
import { areWithin } from "../sample-ownership/overlap-search.js";
import { type Owner, ownedTimes } from "../sample-ownership/owners.js";

/** Number of samples that are formatted before other work can run. */
const SAMPLES = 10_000;

/**
 * Yields the samples of a device in the given intervals from the times when the owner owned it, in chronological order. Reads them in
 * separate statements, in limited memory.
 * @param wanted closed, ascending, disjoint
 * @param recheck runs after each statement, before its samples are yielded
 * @throws ServiceError `forbidden` when the owner no longer owns the times of samples that were read; any error of `recheck`
 */
export async function* ownedSamples(
  ctx: Context,
  owner: Owner,
  wanted: readonly Interval[],
  recheck: () => Promise<void>,
): AsyncGenerator<SampleColumns, void, undefined> {
  // The response may request the next part in the context of another request.
  const caller = currentCaller();
  const within = { startMs: wanted[0]?.startMs ?? 0, stopMs: wanted.at(-1)?.stopMs ?? -1 };
  const times = intersect(wanted, await ownedTimes(ctx.queries, owner, within));
  const batches = streamSamples(sqlClientOf(ctx.queries), owner.deviceId, times);
  const readNext = async () => {
    const batch = (await batches.next()).value ?? null;
    await recheck();
    // Another manager may have taken the device before the samples were read, and loaded some of them.
    if (batch !== null) {
      const extent = extentOf(batch);
      const owned = await ownedTimes(ctx.queries, owner, extent);
      if (!areWithin(intersect(times, [extent]), owned)) throw errors.forbidden();
    }
    return batch;
  };
  for (;;) {
    const batch = await onBehalfOf(caller, readNext);
    if (batch === null) return;
    for (let at = 0; at < batch.length; at += SAMPLES) {
      yield sliceColumns(batch, at, Math.min(at + SAMPLES, batch.length));
      await nextEventLoopTurn();
    }
  }
}

const extentOf = ({ timestampMs, length }: SampleColumns): Interval => ({
  startMs: timestampMs[0] ?? Number.NaN,
  stopMs: timestampMs[length - 1] ?? Number.NaN,
});
