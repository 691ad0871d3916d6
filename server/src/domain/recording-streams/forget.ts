import { eq } from "drizzle-orm";
import { recordingStreams } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/**
 * Deletes the stream of a device with its bytes, because they contain samples that were deleted or that belong to a former owner.
 * An open request ends at its next piece, and the gateway begins the recording again.
 */
export async function forgetStream(
  { queries }: UnitOfWork,
  { deviceId }: { deviceId: number },
): Promise<void> {
  await queries.delete(recordingStreams).where(eq(recordingStreams.deviceId, deviceId));
}
