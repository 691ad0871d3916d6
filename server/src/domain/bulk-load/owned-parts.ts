import {
  type Division,
  divide,
  isOnePart,
  Pauses,
  type RewriteLimit,
  type SampleColumns,
  SamplesByBucket,
  sqlClientOf,
  tryStoring,
} from "../../store/samples/index.js";
import type { Context } from "../change/context.js";
import { hasRoomForSamples, tooManySamples } from "../change/quotas.js";
import type { Owner } from "../sample-ownership/owners.js";
import { refusalFor } from "./refusal.js";
import type { SampleFilter } from "./sample-filter.js";
import { filterFor } from "./store-batches.js";

/** Samples of a recording to store in several transactions, because a transaction blocks all others in the embedded database. */
export interface OwnedParts {
  /** Returns the samples of each part; there is at least one. */
  parts: readonly (() => SampleColumns[])[];
  /** Counts the samples that belong to no part, because the owner may not store them. */
  leftOut: Pick<SampleFilter, "refused" | "unowned">;
  /** Null for a single part. */
  division: Division | null;
}

/**
 * Divides the samples that the owner may store now. The number of samples of other owners has no influence.
 * @param batches are modified
 * @param limit null if an earlier run of the load has stored parts
 * @throws RecordingRefused
 */
export async function ownedParts(
  ctx: Context,
  owner: Owner,
  batches: readonly SampleColumns[],
  limit: RewriteLimit | null,
): Promise<OwnedParts> {
  if (isOnePart(batches))
    return { parts: [() => [...batches]], leftOut: { refused: 0, unowned: 0 }, division: null };
  const filter = await filterFor({ ...ctx, now: ctx.clock.now() }, owner, batches);
  const pauses = new Pauses();
  const kept: SampleColumns[] = [];
  for (const batch of batches) {
    await pauses.pauseIfDue();
    kept.push(filter.keep(batch));
  }
  const samples = await SamplesByBucket.of(kept);
  const division = await divide(sqlClientOf(ctx.queries), owner.deviceId, samples, limit).catch(
    (error: unknown) => {
      throw refusalFor(error);
    },
  );
  // Without samples, there is a part without samples.
  const parts = division.parts.length === 0 ? [{ from: 0, to: 0 }] : division.parts;
  return {
    parts: parts.map(({ from, to }) => () => [samples.copy(from, to)]),
    leftOut: filter,
    division: parts.length === 1 ? null : division,
  };
}

/**
 * Checks the limits before the first of several parts is stored, so that a refused recording stores nothing. Tries to store the parts
 * only if the limits could be exceeded. Other loads may use up the limits before the last part is stored.
 * @throws RecordingRefused, QuotaExceeded
 */
export async function requireFits(
  ctx: Context,
  { deviceId, ownerId }: Owner,
  { parts, division }: OwnedParts,
): Promise<void> {
  if (division === null) return;
  const hasRoom = (added: number) => hasRoomForSamples({ ...ctx, now: ctx.clock.now() }, ownerId, added);
  if (!division.mayBeDense && (await hasRoom(division.mostRoom))) return;
  const all = function* () {
    for (const part of parts) yield* part();
  };
  const { room } = await tryStoring(sqlClientOf(ctx.queries), deviceId, all()).catch((error: unknown) => {
    throw refusalFor(error);
  });
  if (!(await hasRoom(room))) throw tooManySamples(ctx.config);
}
