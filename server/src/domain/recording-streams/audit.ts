import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { OwnedDevice } from "../ownerships/rules.js";
import type { StreamReceiver } from "./receive.js";

/** Records the end of a gateway's request in the audit log, with the numbers of stored and refused samples. */
export async function auditEnd(
  ctx: Context,
  { device, ownership }: OwnedDevice,
  { recording, storedBytes, counts }: StreamReceiver,
  reason: string,
): Promise<void> {
  await transact(ctx, "streamRecording", (unit) =>
    unit.announce("streamEnded", {
      deviceId: device.id,
      details: { managerId: ownership.managerId, recording, bytes: storedBytes, reason, ...counts },
    }),
  );
}
