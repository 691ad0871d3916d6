import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesWeakly } from "../domain/entity-tags.js";
import { errors } from "../domain/errors.js";
import { hasStoredAnswer, storedAnswer } from "../domain/idempotency.js";
import type { Answer } from "../domain/idempotent-request.js";
import type { Item } from "../domain/item.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The raw request body or a hash of it, for the fingerprint of an idempotent request. */
    rawBody: Uint8Array | undefined;
    /** The idempotency key was used before, so the stored response must be sent. */
    replays: boolean;
  }
}

export const itemHeaders = (etag: string) => ({ ETag: etag, Vary: "Authorization" });

/** Whether the client already has this representation, so that a 304 is enough. */
export function isKnown({ headers, method }: FastifyRequest, etag: string): boolean {
  const known = headers["if-none-match"];
  const reads = method === "GET" || method === "HEAD";
  return reads && known !== undefined && matchesWeakly(known, etag);
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Reads `If-Match`, and `Idempotency-Key` on authenticated POSTs. */
export async function readConditions(
  request: FastifyRequest,
  success: { status: number; schema?: unknown },
): Promise<void> {
  const { ctx, headers } = request;
  if (headers["if-match"] !== undefined) ctx.ifMatch = headers["if-match"];
  const key = headers["idempotency-key"];
  if (typeof key !== "string" || request.method !== "POST" || ctx.caller === null) return;
  if (!KEY.test(key)) throw errors.malformed("Idempotency-Key must be 1 to 255 visible ASCII characters.");
  ctx.idempotency = {
    path: new URL(request.url, "http://_").pathname,
    key,
    fingerprint: new Uint8Array(),
    answerOf: (result) => answerOf(success, result),
  };
  request.replays = await hasStoredAnswer(ctx);
}

/** The response to the result of an operation, with the headers that do not depend on the single request. */
function answerOf({ status, schema }: { status: number; schema?: unknown }, result: unknown): Answer {
  if (schema === undefined) return { status, headers: {}, body: new Uint8Array() };
  const { resource, headers } = isItem(result)
    ? { resource: result.resource, headers: itemHeaders(result.etag) }
    : { resource: result, headers: {} };
  return {
    status,
    headers: { ...headers, "Content-Type": "application/json; charset=utf-8" },
    body: Buffer.from(JSON.stringify(resource)),
  };
}

export const isItem = (answer: unknown): answer is Item<unknown> =>
  typeof answer === "object" && answer !== null && "etag" in answer && "resource" in answer;

/** Sends a stored response unchanged. */
export function sendStored(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  reply.code(status).headers(headers);
  return body.length === 0 ? reply.send() : reply.send(Buffer.from(body));
}

/** The stored response, read after the body has arrived and can be compared. */
export async function readStored(request: FastifyRequest): Promise<Answer | undefined> {
  const { ctx } = request;
  if (ctx.idempotency === undefined) return undefined;
  ctx.idempotency.fingerprint = createHash("sha256")
    // A request line has no line feed.
    .update(`${request.method} ${request.url}\n`)
    .update(request.rawBody ?? "")
    .digest();
  return request.replays ? storedAnswer(ctx) : undefined;
}
