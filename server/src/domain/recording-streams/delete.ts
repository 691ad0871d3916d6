import { eq } from "drizzle-orm";
import { recordingStreams } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { announceChanges } from "./changed-times.js";
import { findStream } from "./find.js";

/**
 * Deletes the stream of a device with its bytes, because they contain samples that were deleted or that belong to a former
 * owner. An open request ends at its next piece with `replaced`; a new request sends the recording from the start.
 * @param of.ownerId whose samples were deleted, which streams of other managers do not store; absent for all managers
 */
export async function deleteStream(
  unit: UnitOfWork,
  { deviceId, ownerId }: { deviceId: number; ownerId?: number },
): Promise<void> {
  const { queries } = unit;
  const stream = await findStream(queries, deviceId);
  if (ownerId !== undefined && stream?.managerId !== ownerId) return;
  // Announce the changes first, because the job that announces them would not find them later.
  if (stream !== undefined) await announceChanges(unit, stream);
  await queries.delete(recordingStreams).where(eq(recordingStreams.deviceId, deviceId));
}
