import { CURRENT_END } from "../../wire/types.js";
import { authorize, type TargetOf } from "../access.js";
import type { Context } from "../context.js";
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

/** The clocks of two processes of the service differ by less than this. */
const CLOCKS_DIFFER_MS = 86_400_000;

const ownershipsOf = (target: OnceOwnedDevice | OwnedDevice) =>
  "ownership" in target ? [target.ownership] : target.ownerships;

const versionsOf = (target: OnceOwnedDevice | OwnedDevice): string =>
  ownershipsOf(target)
    .map(({ id, version }) => `${id}.${version}`)
    .join(" ");

/**
 * Reads samples of a device by a right that holds before and after. In between the caller may release the device, and
 * another take it and load: the statement that reads the samples would see theirs. The reading is then repeated, by what
 * the caller still has.
 * @param read is given the target and `recheck`, to be called after the samples were read and before anyone gets or keeps
 *             them, with the latest time that may be among them (ms since 1970 UTC)
 * @throws ServiceError `forbidden` when the caller has no right any more
 */
export async function withOwnershipRecheck<Op extends ReadingOperation, T>(
  ctx: Context,
  operation: Op,
  target: TargetOf<Op>,
  read: (target: TargetOf<Op>, recheck: (latestMs: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  let held = target;
  for (;;) {
    // Only a current ownership can end, and another owner's samples have times after its end, so old samples are safe.
    const inDoubtMs = ctx.clock.now().getTime() - CLOCKS_DIFFER_MS;
    const isCurrent = ownershipsOf(held).some(({ endTime }) => endTime.getTime() === CURRENT_END.getTime());
    const recheck = async (latestMs: number) => {
      if (!isCurrent || latestMs < inDoubtMs) return;
      const now = await authorize(ctx, operation, { device: held.device.id });
      if (versionsOf(now) !== versionsOf(held)) throw new OwnerChangedError();
    };
    try {
      return await read(held, recheck);
    } catch (error) {
      if (!(error instanceof OwnerChangedError)) throw error;
      held = await authorize(ctx, operation, { device: held.device.id });
    }
  }
}
