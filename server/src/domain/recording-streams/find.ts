import { eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { recordingStreams } from "../../store/schema.js";
import type { RecordingStream } from "./resource.js";

export async function findStream(queries: Queries, deviceId: number): Promise<RecordingStream | undefined> {
  const [stream] = await queries
    .select()
    .from(recordingStreams)
    .where(eq(recordingStreams.deviceId, deviceId));
  return stream;
}
