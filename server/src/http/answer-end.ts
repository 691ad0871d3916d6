import type { FastifyReply } from "fastify";

/**
 * Calls back once when the answer has ended: sent, or cut off because the client has left. Call it before taking what
 * `ended` gives back.
 * @throws Error with status 400 when the client has left already, since the end is told only once
 */
export function onAnswerEnd({ raw }: FastifyReply, ended: () => void): void {
  if (raw.closed) throw Object.assign(new Error("The client has left"), { statusCode: 400 });
  raw.once("close", ended);
}
