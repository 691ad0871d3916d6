/** Errors that the compiler must detect: `tsc` fails if one of these mistakes is no longer an error. */
import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import { JsonBytes } from "../domain/lists/json-bytes.js";
import type { StreamedPage } from "../domain/lists/streamed-page.js";
import { Page } from "../wire/types.js";
import type { FileResponse } from "./responses.js";
import { route } from "./route.js";

const Thing = Type.Object({ id: Type.Integer(), name: Type.String() });
const thing = { id: 7, name: "A thing" };

const head = { id: "retrieveAccount", tag: "", summary: "", method: "GET", path: "/" } as const;

/** Contains the mistakes, and is never called. */
function mistakes(app: FastifyInstance): void {
  const success = { status: 200, schema: Thing } as const;
  route(app, { ...head, success, handle: async () => thing });
  route(app, { ...head, success, handle: async () => ({ resource: thing, etag: '"a"' }) });
  route(app, {
    ...head,
    success,
    // @ts-expect-error a member has another type
    handle: async () => ({ id: "7", name: "A thing" }),
  });
  route(app, {
    ...head,
    success,
    // @ts-expect-error a member is missing in an item
    handle: async () => ({ resource: { id: 7 }, etag: '"a"' }),
  });
  route(app, {
    ...head,
    success,
    // @ts-expect-error a response is missing
    handle: async () => undefined,
  });
  route(app, {
    ...head,
    success,
    // @ts-expect-error the text has another meaning
    handle: async () => new JsonBytes<string>(new Uint8Array()),
  });
  route(app, {
    ...head,
    success,
    // @ts-expect-error a handler returns its response, and cannot send it
    handle: async ({ reply }) => reply.send(thing),
  });
  route(app, {
    ...head,
    success,
    handle: async () => thing,
    // @ts-expect-error PATCH must return the response of the main method
    patch: { body: Thing, handle: async () => "a thing" },
  });
  route(app, {
    ...head,
    success,
    handle: async () => thing,
    // @ts-expect-error the alternative handler must return the same response
    instead: { when: () => true, handle: async () => "a thing" },
  });
  const page = { status: 200, schema: Page(Thing) } as const;
  route(app, { ...head, success: page, handle: async () => ({}) as StreamedPage<typeof thing> });
  route(app, {
    ...head,
    success: page,
    // @ts-expect-error a page of other results
    handle: async () => ({}) as StreamedPage<{ id: number }>,
  });
  route(app, {
    ...head,
    success: { status: 204 },
    // @ts-expect-error there must be no body
    handle: async () => thing,
  });
  route(app, {
    ...head,
    success: { status: 200, mediaType: "text/csv", isFile: true },
    // @ts-expect-error a file has a name and a stream
    handle: async () => "a,b",
  });
  route(app, {
    ...head,
    success: { status: 200, mediaType: "text/html" },
    // @ts-expect-error a page is text
    handle: async () => ({}) as FileResponse,
  });
}

describe("a response that does not match the success schema", () => {
  it("does not compile", () => {
    expect(mistakes).toBeTypeOf("function");
  });
});
