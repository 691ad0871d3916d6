import { Readable } from "node:stream";
import type { Static, TSchema } from "@sinclair/typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Item, matchesWeakly } from "../domain/change/entity-tags.js";
import { JsonBytes } from "../domain/lists/json-bytes.js";
import { StreamedArray } from "../domain/lists/streamed-array.js";
import { StreamedPage } from "../domain/lists/streamed-page.js";
import type { Page } from "../wire/types.js";
import { EventStream } from "./connection/event-stream.js";
import { LineStream, ResponseLines } from "./connection/line-stream.js";
import { pathPrefix } from "./path-prefix.js";

/** JSON described by a schema. */
export interface JsonSuccess<Schema extends TSchema = TSchema> {
  status: 200 | 201 | 202;
  schema: Schema;
  /** Additional headers and their descriptions, used only in the OpenAPI document. */
  headers?: Readonly<Record<string, string>>;
  /** The path of the list that contains the created resource under its `id`, for the header `Location`. */
  collection?: string;
  /** Types that a client can request with `Accept` instead of JSON; see `TypedText` and `TypedFile`. */
  otherMediaTypes?: readonly string[];
  mediaType?: undefined;
}

/** A status without a body. */
export interface EmptySuccess {
  status: 204;
  schema?: undefined;
  mediaType?: undefined;
}

/** Text of a media type other than JSON. */
export interface TextSuccess {
  status: 200;
  mediaType: string;
  isFile?: false;
  isStream?: false;
  schema?: undefined;
}

/** Server-sent events until the client disconnects. */
export interface EventsSuccess {
  status: 200;
  mediaType: "text/event-stream";
  isStream: true;
  isFile?: false;
  schema?: undefined;
}

/** JSON lines that are sent while the request continues. */
export interface LinesSuccess {
  status: 200;
  mediaType: "application/x-ndjson";
  isStream: true;
  isFile?: false;
  schema?: undefined;
}

/** A file with a file name. */
export interface FileSuccess {
  status: 200;
  mediaType: string;
  /** Alternative media types of the file. */
  otherMediaTypes?: readonly string[];
  isFile: true;
  schema?: undefined;
}

/** Type of a successful response. */
export type Success = JsonSuccess | EmptySuccess | TextSuccess | EventsSuccess | LinesSuccess | FileSuccess;

/** Return type of the handler of an operation with this success. */
export type HandlerResult<S extends Success> =
  S extends JsonSuccess<infer Schema>
    ? Promise<JsonResponse<Static<Schema>> | Item<TypedText | TypedFile> | CustomResponse>
    : S extends FileSuccess
      ? Promise<FileResponse>
      : S extends EventsSuccess
        ? Promise<EventStream>
        : S extends LinesSuccess
          ? Promise<LineStream>
          : S extends TextSuccess
            ? Promise<string | CustomResponse>
            : Promise<void>;

/** Parts of the reply that a handler may change itself. */
export interface ResponseHead extends Pick<FastifyReply, "raw" | "request"> {
  header(name: string, value: string): void;
}

/** A value or its JSON text, with or without an entity tag. */
type JsonResponse<T> =
  | T
  | JsonBytes<T>
  | Item<T>
  | Item<JsonBytes<T>>
  | StreamedPageOf<T>
  | StreamedArrayOf<T>;
type StreamedPageOf<T> = [T] extends [Page<infer Result>] ? StreamedPage<Result> : never;
type StreamedArrayOf<T> = [T] extends [(infer Element)[]] ? StreamedArray<Element> : never;

/** A file sent from a stream or from memory. */
export class FileResponse {
  readonly fileName: string;
  /** Null if it is not known before the end. */
  readonly bytes: number | null;
  readonly content: Readable | Buffer;
  readonly mediaType: string;

  constructor(fileName: string, bytes: number | null, content: Readable | Buffer, mediaType: string) {
    this.fileName = fileName;
    this.bytes = bytes;
    this.content = content;
    this.mediaType = mediaType;
  }
}

/** A representation of a resource in a media type other than JSON. */
export class TypedText {
  readonly mediaType: string;
  readonly text: string;

  constructor(mediaType: string, text: string) {
    this.mediaType = mediaType;
    this.text = text;
  }
}

/** A representation of a resource as a file with a file name, in a media type other than JSON. */
export class TypedFile {
  readonly mediaType: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;

  constructor(mediaType: string, fileName: string, bytes: Uint8Array) {
    this.mediaType = mediaType;
    this.fileName = fileName;
    this.bytes = bytes;
  }
}

/**
 * A response other than the success of the operation, in its own format. OAuth 2.0 requires formats that differ from
 * the API.
 */
export class CustomResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | string | undefined;

  constructor(status: number, headers: Readonly<Record<string, string>>, body?: object | string) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/**
 * Size of the pieces in which bodies are written to the connection. The next piece follows when the client has read the
 * previous one.
 */
const PIECE_BYTES = 64 * 1024;

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield* piecesOf(Buffer.from(text));
}

const streamOf = (pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) =>
  Readable.from(pieces, { objectMode: false, highWaterMark: PIECE_BYTES });

/** Sends a body from memory. */
export function sendBytes(request: FastifyRequest, reply: FastifyReply, bytes: Buffer): FastifyReply {
  request.responseShare?.resize(bytes.length);
  // For a HEAD request, the framework would read the stream and discard it.
  if (bytes.length <= PIECE_BYTES || request.method === "HEAD") return reply.send(bytes);
  return reply.header("Content-Length", bytes.length).send(streamOf(piecesOf(bytes)));
}

const JSON_TYPE = "application/json; charset=utf-8";

/** Sends the result of a handler. */
export function sendResult(
  request: FastifyRequest,
  reply: FastifyReply,
  success: Success,
  result: unknown,
): FastifyReply {
  const { status, schema, mediaType } = success;
  if (result instanceof CustomResponse) return sendCustom(reply, result);
  reply.code(status);
  if (schema !== undefined)
    return sendJson(request, reply.headers(locationOf(request, success, result)), result);
  if (mediaType === undefined) return reply.send();
  if (result instanceof EventStream || result instanceof LineStream) {
    request.responseShare?.resize(0);
    // nginx would buffer the parts.
    return reply.type(mediaType).header("X-Accel-Buffering", "no").send(bodyOf(request, result));
  }
  if (!(result instanceof FileResponse)) return reply.type(`${mediaType}; charset=utf-8`).send(result);
  if (result.bytes !== null) reply.header("Content-Length", result.bytes);
  return reply
    .type(result.mediaType.startsWith("text/") ? `${result.mediaType}; charset=utf-8` : result.mediaType)
    .header("Content-Disposition", `attachment; filename="${result.fileName}"`)
    .send(result.content);
}

function bodyOf({ raw }: FastifyRequest, stream: EventStream | LineStream): Readable {
  if (stream instanceof EventStream) return stream.toBody();
  const lines = new ResponseLines();
  stream.start(raw, lines);
  return lines.body;
}

export const sendCustom = (reply: FastifyReply, { status, headers, body }: CustomResponse): FastifyReply =>
  reply.code(status).headers(headers).send(body);

export const isItem = (result: unknown): result is Item<unknown> =>
  typeof result === "object" && result !== null && "etag" in result && "resource" in result;

/** Returns the header of a response to a creation; none for other successes. */
export function locationOf(
  { server }: FastifyRequest,
  success: Success,
  result: unknown,
): { Location?: string } {
  if (!("collection" in success) || success.collection === undefined) return {};
  const { id } = (isItem(result) ? result.resource : result) as { id: number };
  return { Location: `${pathPrefix(server.config.baseUrl)}${success.collection}${id}/` };
}

/** Returns the headers of a response with an entity tag. */
export const itemHeaders = (etag: string) => ({ ETag: etag, Vary: VARY });

const VARY = "Authorization, Cookie";

/** Whether `If-None-Match` contains the entity tag. If so, status 304 suffices. */
export function isNotModified({ headers, method }: FastifyRequest, etag: string): boolean {
  const tags = headers["if-none-match"];
  const isRead = method === "GET" || method === "HEAD";
  return isRead && tags !== undefined && matchesWeakly(tags, etag);
}

function sendJson(request: FastifyRequest, reply: FastifyReply, result: unknown): FastifyReply {
  if (isItem(result)) {
    reply.headers(itemHeaders(result.etag));
    const { success } = request.routeOptions.config.operation ?? {};
    if (success?.schema !== undefined && success.otherMediaTypes !== undefined)
      reply.header("Vary", `${VARY}, Accept`);
    if (result.resource instanceof JsonBytes) reply.header("Vary", `${VARY}, Accept-Encoding`);
    if (isNotModified(request, result.etag)) return reply.code(304).send();
    return sendJson(request, reply, result.resource);
  }
  if (result instanceof StreamedPage || result instanceof StreamedArray) {
    request.responseShare?.resize(result.heldBytes);
    return reply.type(JSON_TYPE).send(streamOf(inPieces(result.json())));
  }
  if (result instanceof TypedText) {
    return sendBytes(request, reply.type(`${result.mediaType}; charset=utf-8`), Buffer.from(result.text));
  }
  if (result instanceof TypedFile) {
    const { mediaType, fileName, bytes } = result;
    reply.type(mediaType).header("Content-Disposition", `attachment; filename="${fileName}"`);
    return sendBytes(request, reply, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }
  if (result instanceof JsonBytes) {
    const { buffer, byteOffset, byteLength } = result.bytes;
    if (result.isGzipped) reply.header("Content-Encoding", "gzip");
    return sendBytes(request, reply.type(JSON_TYPE), Buffer.from(buffer, byteOffset, byteLength));
  }
  return sendBytes(request, reply.type(JSON_TYPE), Buffer.from(JSON.stringify(result)));
}
