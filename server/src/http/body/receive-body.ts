import type { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";

const TOO_LARGE = () => Object.assign(new Error("The body is too large"), { statusCode: 413 });
const BROKEN_OFF = () => Object.assign(new Error("The body is incomplete"), { statusCode: 400 });

/**
 * Receives a request body in pieces. If `Content-Length` exceeds the limit of the route, the body is refused before it
 * is read. The rest of a refused body is read and discarded, because a client reads the response only after it has sent
 * the body.
 * @param take called with each piece; an error that it throws refuses the body
 * @param heldPart fraction of the bytes that remain in memory
 */
export async function receiveBody(
  request: FastifyRequest,
  payload: Readable,
  limitBytes: number,
  take: (chunk: Buffer) => void,
  heldPart = 1,
): Promise<void> {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) throw TOO_LARGE();
  let received = 0;
  await new Promise<void>((resolve, reject) => {
    const stop = (error?: unknown) => {
      payload.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
      if (error === undefined) return resolve();
      // Ignore later errors.
      payload.on("error", () => {}).resume();
      reject(error);
    };
    const onBroken = () => stop(BROKEN_OFF());
    const onData = (chunk: Buffer) => {
      try {
        received += chunk.length;
        if (received > limitBytes) throw TOO_LARGE();
        request.bodyShare?.add(chunk.length * heldPart);
        take(chunk);
        // Take one piece per iteration of the event loop, because Node.js can deliver 32 at once, which would delay
        // other requests.
        payload.pause();
        setImmediate(() => payload.resume());
      } catch (error) {
        stop(error);
      }
    };
    const onEnd = () => stop();
    payload.on("data", onData).once("end", onEnd).once("error", onBroken).once("close", onBroken);
  });
}
