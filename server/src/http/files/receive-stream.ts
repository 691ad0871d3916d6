import type { Readable } from "node:stream";
import { AsiError } from "asi-convert";
import type { FastifyRequest } from "fastify";
import { RecordingRefused } from "../../domain/bulk-load/refusal.js";
import type { Context } from "../../domain/change/context.js";
import { errors, ServiceError } from "../../domain/change/errors.js";
import type { OwnedDevice } from "../../domain/ownerships/rules.js";
import { auditEnd } from "../../domain/recording-streams/audit.js";
import type { StreamReceiver } from "../../domain/recording-streams/receive.js";
import { StreamReplaced } from "../../domain/recording-streams/resource.js";
import { onBehalfOf } from "../../fairness/callers.js";
import { measureLoaded } from "../../observability/loaded-samples.js";
import { isUnavailable } from "../../store/connection/database-errors.js";
import type { LastLine, Lines } from "../connection/line-stream.js";
import type { HeldConnection } from "../connection/live-connections.js";
import { problemFor } from "../errors.js";
import { ArrivingBytes } from "./arriving-bytes.js";

interface Receiving {
  receiver: StreamReceiver;
  request: FastifyRequest;
  body: Readable;
  lines: Lines;
  place: HeldConnection;
}

/** Receives a recording until its end. Never rejects: the last line contains the error. */
export async function receiveStream(
  ctx: Context,
  owned: OwnedDevice,
  { receiver, request, body, lines, place }: Receiving,
): Promise<void> {
  const { streamStoreMs, streamIdleMs } = ctx.config;
  const { signal: ended, replacedWork } = place;
  const arriving = new ArrivingBytes(body, { everyMs: streamStoreMs, idleMs: streamIdleMs }, ended);
  const receive = async (): Promise<LastLine> => {
    await replacedWork;
    if (!(await receiver.prepare(ended))) return { end: String(ended.reason) };
    for (;;) {
      lines.write(stateOf(receiver));
      const { bytes, end } = await arriving.next();
      if (bytes.length > 0) {
        if ((await ctx.isSignedIn?.()) === false) return { end: "signed_out" };
        await receiver.take(bytes);
      }
      if (end === "complete") {
        const { damage } = await receiver.end();
        // The recording is complete even if its bytes remain.
        await receiver
          .deleteBytes()
          .catch((error: unknown) =>
            request.log.warn({ err: error }, "the bytes of a stream were not deleted"),
          );
        return { end, damage };
      }
      if (end !== null) return { end };
    }
  };
  await onBehalfOf(request.onBehalfOf, async () => {
    const end = await receive().catch((error: unknown) => endBy(error, request));
    receiver.close();
    arriving.discard();
    await auditEnd(ctx, owned, receiver, end.end).catch((error: unknown) =>
      request.log.warn({ err: error }, "the end of a stream is not in the audit log"),
    );
    const { read, stored, known, refused, unowned } = receiver.counts;
    const samples = { stored, known, refused };
    measureLoaded(request.server.metrics)(samples);
    request.log.info({ end: end.end, samples }, "a stream ended");
    lines.end({
      ...stateOf(receiver),
      samples_read: read,
      samples_stored: stored,
      samples_known: known,
      samples_refused: refused,
      samples_unowned: unowned,
      ...end,
    });
  });
}

function stateOf({ storedBytes, storedUntilMs, aheadMs }: StreamReceiver) {
  const state = { stored_bytes: storedBytes, stored_until: storedUntilMs };
  return aheadMs === 0 ? state : { ...state, ahead_ms: aheadMs };
}

function endBy(error: unknown, { log }: FastifyRequest): LastLine {
  if (error instanceof StreamReplaced) return { end: "replaced" };
  if (error instanceof AsiError || error instanceof RecordingRefused) {
    return refused(errors.file(error.code, error.message));
  }
  if (error instanceof ServiceError) {
    return error.kind === "forbidden" || error.kind === "not_found"
      ? { end: "not_permitted" }
      : refused(error);
  }
  log.warn({ err: error }, "a stream failed");
  return error instanceof Error && isUnavailable(error) ? { end: "unavailable" } : { end: "failed" };
}

const refused = (error: ServiceError): LastLine => ({ end: "refused", problem: problemFor(error) });
