import type { FastifyRequest } from "fastify";
import type { DownloadEnd } from "../../domain/raw-data/audit.js";
import { onBehalfOf } from "../../fairness/callers.js";

/**
 * Yields the pieces of a file, and records its end once. A download of which no piece was requested is not recorded. If the
 * record fails, a warning is logged, and the file is still complete.
 * @param record writes the audit row
 */
export async function* auditedDownload(
  pieces: AsyncIterable<Uint8Array>,
  { onBehalfOf: caller, log }: FastifyRequest,
  record: (end: DownloadEnd) => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let end: DownloadEnd = "ended_early";
  try {
    yield* pieces;
    end = "complete";
  } catch (error) {
    end = "failed";
    throw error;
  } finally {
    await onBehalfOf(caller, () => record(end)).catch((error: unknown) =>
      log.warn({ err: error }, "a download is not in the audit log"),
    );
  }
}
