import type { OperationId } from "../change/access.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";

/** The object whose data a download contains, as in the audit log. */
export interface DownloadedObject {
  entity: "account" | "device" | "session" | "squad";
  id: number;
}

/**
 * How a download has ended: `complete` after the last data was read, `ended_early` when the client or the service closed the
 * connection earlier, `failed` because of an error or a lost right.
 */
export type DownloadEnd = "complete" | "ended_early" | "failed";

/** Records a download in the audit log, when it has ended. */
export async function auditDownload(
  ctx: Context,
  operation: OperationId,
  { entity, id }: DownloadedObject,
  details: { end: DownloadEnd } & Record<string, unknown>,
): Promise<void> {
  await transact(ctx, operation, ({ audit }) => audit(entity, id, null, details));
}
