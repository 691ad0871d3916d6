/** Compares every response of the services in this process with the OpenAPI document. */
import { subscribe } from "node:diagnostics_channel";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { openApiDocument } from "../src/http/documentation/openapi.js";
import { DocumentedResponses, isJson, JSON_TYPE } from "./documented-responses.js";

/** Maximum length of checked pages. Longer ones are not collected, because tests send pages of hundreds of megabytes. */
const MAX_GATHERED_BYTES = 32 * 1024 * 1024;

const differing: string[] = [];

/** Returns messages about the responses since the last call that differ from the document. */
export const takeDifferences = (): string[] => differing.splice(0);

// One object is sufficient, because every application has the same operations.
let answers: DocumentedResponses | undefined;

const mediaTypeOf = (reply: FastifyReply) => reply.getHeader("content-type")?.toString().split(";", 1)[0];

/**
 * Compares a response with the document.
 * @param text undefined if there is no body
 */
function check(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  text: string | undefined,
): void {
  answers ??= new DocumentedResponses(openApiDocument(app.operations, "http://service.test"));
  const { operation, unguarded } = request.routeOptions.config;
  const mediaType = mediaTypeOf(reply);
  const given = {
    status: reply.statusCode,
    mediaType,
    body: isJson(mediaType) && text ? JSON.parse(text) : text,
  };
  let found: string | null = null;
  let name = `${request.method} ${request.url.split("?", 1)[0]}`;
  if (operation !== undefined) {
    name = `${operation.id} (${request.method})`;
    // Alternative methods and paths have the same responses as the documented ones.
    const method = operation.patch !== undefined && request.method === "PATCH" ? "PATCH" : operation.method;
    found = answers.differences(operation.path, method.toLowerCase(), given);
  } else if (given.status >= 400 && !unguarded) {
    found = answers.differencesOfError(given);
  }
  if (found !== null) differing.push(`${name} answered ${given.status}: ${found}`);
}

/** Returns the decompressed body. */
const plainOf = (reply: FastifyReply, body: Uint8Array) =>
  reply.getHeader("content-encoding") === "gzip" ? gunzipSync(body) : Buffer.from(body);

/** Collects the output of the stream without changing its pace, and checks it when the stream ends. */
function checkStream(reply: FastifyReply, payload: Readable, checkText: (text: string) => void): void {
  reply.raw.once("pipe", (source: Readable) => {
    if (source !== payload) return;
    const chunks: Buffer[] = [];
    let bytes = 0;
    payload.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_GATHERED_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    });
    payload.once("end", () => {
      if (bytes <= MAX_GATHERED_BYTES) checkText(plainOf(reply, Buffer.concat(chunks)).toString());
    });
  });
}

function inspect(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
  // The client has disconnected, so nobody reads the response.
  if (reply.raw.closed || request.raw.socket.destroyed) return;
  if (payload instanceof Readable) {
    // The document describes a CSV only as text; the conversion tests read it completely.
    if (mediaTypeOf(reply) !== JSON_TYPE) check(app, request, reply, "a stream");
    else checkStream(reply, payload, (text) => check(app, request, reply, text));
    return;
  }
  const plain = payload instanceof Uint8Array ? plainOf(reply, payload) : payload;
  const text = plain === undefined || plain === null ? "" : String(plain);
  check(app, request, reply, text === "" ? undefined : text);
}

// Fastify publishes every application at its creation, before it has hooks.
subscribe("fastify.initialization", (message) => {
  const { fastify: app } = message as { fastify: FastifyInstance };
  app.addHook("onSend", (request, reply, payload, done) => {
    // The metrics port and the applications of tests are not part of the service.
    if (app.hasDecorator("operations")) inspect(app, request, reply, payload);
    done(null, payload);
  });
});
