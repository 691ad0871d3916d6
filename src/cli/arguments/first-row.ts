import { RecordingReader } from "../../reading/recording-reader.js";
import { concatenate } from "../../sources/concatenate.js";
import type { ChunkReader, ChunkSource } from "../../sources/source.js";
import { ContinuedSource } from "../../tracks/first-bytes.js";
import { UsageError } from "../terminal/usage-error.js";

/** Memory limit for data before the first row. The search stops at this limit. */
const MAX_KEPT_BYTES = 64_000_000;

export interface BegunSource {
  /** Time of the first row, ms since 1970 UTC; null if there is none, or if an error precedes it. */
  firstRowMs: number | null;
  /** The whole source, including the part that has been read. */
  whole: ChunkSource;
}

/**
 * Reads a source up to its first row.
 * @throws the errors of the source
 */
export async function readFirstRow(source: ChunkReader, serial: string | undefined): Promise<BegunSource> {
  const reader = new RecordingReader({ output: "columns", serial });
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  let firstRowMs: number | null = null;
  try {
    for (;;) {
      const chunk = await source.read();
      if (chunk !== null) {
        kept.push(chunk.slice());
        keptBytes += chunk.length;
      }
      const rows = rowsIn(reader, chunk);
      firstRowMs = rows?.[0]?.timestampMs[0] ?? null;
      if (chunk === null || rows === null || firstRowMs !== null) break;
      if (keptBytes > MAX_KEPT_BYTES) {
        throw new UsageError(
          "The day of the first row is unknown, because too much data precedes it; use --from and --to with a date.",
        );
      }
    }
  } catch (error) {
    await source.close();
    throw error;
  } finally {
    reader.close();
  }
  return { firstRowMs, whole: new ContinuedSource(concatenate(kept), source) };
}

// Returns the rows of the next chunk; the end of the source also returns rows that follow a damaged length.
// Returns null if the source is not a recording, which the conversion reports later.
function rowsIn(reader: RecordingReader<"columns">, chunk: Uint8Array | null) {
  try {
    return chunk === null ? reader.finish() : reader.push(chunk);
  } catch {
    return null;
  }
}
