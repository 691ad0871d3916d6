import { authorize, type TargetOf } from "../change/access.js";
import type { Context } from "../change/context.js";
import type { OnceOwnedDevice, OwnedDevice } from "../ownerships/rules.js";

type ReadingOperation =
  | "fetchRawData"
  | "listRawDataRanges"
  | "fetchLatestRawData"
  | "retrieveLatestTimestamp";

/**
 * The owner of the device has changed since the caller's right was checked, so the samples may belong to another
 * owner.
 */
class OwnerChangedError extends Error {
  override readonly name = "OwnerChangedError";
}

/** Maximum difference between the clocks of two processes of the service. */
const CLOCKS_DIFFER_MS = 86_400_000;

const versionOf = (target: OnceOwnedDevice | OwnedDevice): string =>
  "lastVersion" in target ? target.lastVersion : `${target.ownership.id}.${target.ownership.version}`;

/**
 * Reads samples of a device, and checks afterwards that the caller's right has not changed. Between the first check and the
 * read, the caller may take the device or release it, and another manager may take it and load samples that the read would return.
 * The read is then repeated with the ownerships that the caller still has.
 * @param read receives the target and `recheck`. It must call `recheck` after reading the samples and before returning or caching
 *   them, with their latest possible time (ms since 1970 UTC)
 * @throws ServiceError `forbidden` when the caller no longer has the right
 */
export async function withOwnershipRecheck<Op extends ReadingOperation, T>(
  ctx: Context,
  operation: Op,
  target: TargetOf<Op>,
  read: (target: TargetOf<Op>, recheck: (latestMs: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  let held = target;
  for (;;) {
    // Samples of the next owner are later than the end of the caller's ownership, so old samples are safe.
    const inDoubtMs = ctx.clock.now().getTime() - CLOCKS_DIFFER_MS;
    const recheck = async (latestMs: number) => {
      if (latestMs < inDoubtMs) return;
      const now = await authorize(ctx, operation, { device: held.device.id });
      if (versionOf(now) !== versionOf(held)) throw new OwnerChangedError();
    };
    try {
      return await read(held, recheck);
    } catch (error) {
      if (!(error instanceof OwnerChangedError)) throw error;
      held = await authorize(ctx, operation, { device: held.device.id });
    }
  }
}
