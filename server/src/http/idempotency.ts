import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { errors } from "../domain/change/errors.js";
import { findStoredResponse, isKeyUsed } from "../domain/change/idempotency.js";
import type { ChangeResult, StoredResponse } from "../domain/change/idempotent-request.js";
import { isItem, itemHeaders, locationOf, type Success, sendBytes } from "./responses.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Raw request body or a hash of it, for the fingerprint of an idempotent request. */
    rawBody: Uint8Array | undefined;
    /** Whether the idempotency key was used before. If so, the stored response must be sent. */
    isReplay: boolean;
  }
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Reads `Idempotency-Key` on authenticated POSTs, and checks whether it was used before. */
export async function readIdempotencyKey(request: FastifyRequest, success: Success): Promise<void> {
  const { ctx, headers } = request;
  const key = headers["idempotency-key"];
  if (typeof key !== "string" || request.method !== "POST" || ctx.caller === null) return;
  if (!KEY.test(key)) throw errors.malformed("Idempotency-Key must be 1 to 255 visible ASCII characters.");
  const { url: route = "" } = request.routeOptions;
  ctx.idempotency = {
    // An operation without parameters has one path, even if some of its characters are percent-encoded.
    path: route.includes(":") ? new URL(request.url, "http://_").pathname : route,
    key,
    fingerprint: new Uint8Array(),
    responseTo: (result) => responseTo(request, success, result),
  };
  request.isReplay = await isKeyUsed(ctx);
}

/** Creates the response to the result of a change, with the headers that do not depend on the individual request. */
function responseTo(request: FastifyRequest, success: Success, result: ChangeResult): StoredResponse {
  const { status, schema } = success;
  if (schema === undefined) return { status, headers: {}, body: new Uint8Array() };
  const { resource, headers } = isItem(result)
    ? { resource: result.resource, headers: itemHeaders(result.etag) }
    : { resource: result, headers: {} };
  return {
    status,
    headers: {
      ...headers,
      ...locationOf(request, success, result),
      "Content-Type": "application/json; charset=utf-8",
    },
    body: Buffer.from(JSON.stringify(resource)),
  };
}

/** Sends a stored response unchanged. */
export function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body }: StoredResponse,
): FastifyReply {
  reply.code(status).headers(headers);
  return body.length === 0 ? reply.send() : sendBytes(request, reply, Buffer.from(body));
}

/** Returns the stored response, read after the body has arrived and can be compared. */
export async function readStored(request: FastifyRequest): Promise<StoredResponse | undefined> {
  const { ctx } = request;
  if (ctx.idempotency === undefined) return undefined;
  ctx.idempotency.fingerprint = createHash("sha256")
    // A request line contains no line feed.
    .update(`${request.method} ${request.url}\n`)
    .update(request.rawBody ?? "")
    .digest();
  return request.isReplay ? findStoredResponse(ctx) : undefined;
}
