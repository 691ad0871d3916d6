import type { FastifyRequest } from "fastify";
import { matchesWeakly } from "../domain/entity-tags.js";
import type { Item } from "../domain/item.js";

/** The headers of a response with an entity tag. */
export const itemHeaders = (etag: string) => ({ ETag: etag, Vary: "Authorization, Cookie" });

export const isItem = (result: unknown): result is Item<unknown> =>
  typeof result === "object" && result !== null && "etag" in result && "resource" in result;

/** Whether `If-None-Match` contains the entity tag, so that a 304 is enough. */
export function isNotModified({ headers, method }: FastifyRequest, etag: string): boolean {
  const tags = headers["if-none-match"];
  const isRead = method === "GET" || method === "HEAD";
  return isRead && tags !== undefined && matchesWeakly(tags, etag);
}

/** Passes `If-Match` on to the operation. */
export function readIfMatch({ ctx, headers }: FastifyRequest): void {
  if (headers["if-match"] !== undefined) ctx.ifMatch = headers["if-match"];
}
