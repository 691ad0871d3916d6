import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hasStoredAnswer, storedAnswer } from "../domain/change.js";
import { matchesWeakly } from "../domain/entity-tags.js";
import { errors } from "../domain/errors.js";
import type { Item } from "../domain/item.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Of an idempotent request: the body as it came, or a digest of it, for the fingerprint. */
    rawBody: Uint8Array | undefined;
    /** The request's idempotency key was used before: its stored answer is to be sent. */
    replays: boolean;
  }
}

/** Sends an item with its entity tag; 304 when the client has this very view already. */
export function sendItem(
  request: FastifyRequest,
  reply: FastifyReply,
  { resource, etag }: Item<unknown>,
): FastifyReply {
  reply.header("ETag", etag).header("Vary", "Authorization");
  const known = request.headers["if-none-match"];
  const reads = request.method === "GET" || request.method === "HEAD";
  if (reads && known !== undefined && matchesWeakly(known, etag)) return reply.code(304).send();
  return reply.send(resource);
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Reads `If-Match`, and `Idempotency-Key` on authenticated POSTs. */
export async function readConditions(request: FastifyRequest): Promise<void> {
  const { ctx, headers } = request;
  if (headers["if-match"] !== undefined) ctx.ifMatch = headers["if-match"];
  const key = headers["idempotency-key"];
  if (typeof key !== "string" || request.method !== "POST" || ctx.caller === null) return;
  if (!KEY.test(key)) throw errors.malformed("Idempotency-Key must be 1 to 255 visible ASCII characters.");
  ctx.idempotency = { path: new URL(request.url, "http://_").pathname, key, fingerprint: new Uint8Array() };
  request.replays = await hasStoredAnswer(ctx);
}

/** The stored answer, once the body is there to be compared. */
export async function readStored(request: FastifyRequest): Promise<{ result: unknown } | undefined> {
  const { ctx } = request;
  if (ctx.idempotency === undefined) return undefined;
  ctx.idempotency.fingerprint = createHash("sha256")
    .update(request.rawBody ?? "")
    .digest();
  return request.replays ? storedAnswer(ctx) : undefined;
}
