import { Readable } from "node:stream";
import type { Static, TSchema } from "@sinclair/typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Item } from "../domain/item.js";
import { JsonBytes } from "../domain/json-bytes.js";
import { StreamedPage } from "../domain/streamed-page.js";
import type { Page } from "../wire/types.js";
import { isItem, isKnown, itemHeaders } from "./conditional.js";

/** JSON that the schema describes. */
export interface JsonSuccess<Schema extends TSchema = TSchema> {
  status: 200 | 201;
  schema: Schema;
  /** Headers of its own, and what they say; for the document only. */
  headers?: Readonly<Record<string, string>>;
  mediaType?: undefined;
}

/** Nothing but the status. */
export interface EmptySuccess {
  status: 204;
  schema?: undefined;
  mediaType?: undefined;
}

/** Text of another type than JSON. */
export interface TextSuccess {
  status: 200;
  mediaType: string;
  isFile?: false;
  schema?: undefined;
}

/** A file of text, to be saved under a name. */
export interface FileSuccess {
  status: 200;
  mediaType: string;
  isFile: true;
  schema?: undefined;
}

/** What a success looks like. */
export type Success = JsonSuccess | EmptySuccess | TextSuccess | FileSuccess;

/** What the handler of an operation with this success returns. */
export type HandlerResult<S extends Success> =
  S extends JsonSuccess<infer Schema>
    ? Promise<JsonAnswer<Static<Schema>> | OtherAnswer>
    : S extends FileSuccess
      ? Promise<FileAnswer>
      : S extends TextSuccess
        ? Promise<string | OtherAnswer>
        : Promise<void>;

/** What a handler can do to its answer besides returning it. */
export interface AnswerHead extends Pick<FastifyReply, "raw" | "request"> {
  header(name: string, value: string): void;
}

/** A value, with an entity tag or without, as itself or as text. */
type JsonAnswer<T> = T | JsonBytes<T> | Item<T> | Item<JsonBytes<T>> | StreamedPageOf<T>;
type StreamedPageOf<T> = [T] extends [Page<infer Result>] ? StreamedPage<Result> : never;

/** A file that is sent from a stream. */
export class FileAnswer {
  readonly fileName: string;
  readonly bytes: number;
  readonly content: Readable;

  constructor(fileName: string, bytes: number, content: Readable) {
    this.fileName = fileName;
    this.bytes = bytes;
    this.content = content;
  }
}

/** An answer that is not the operation's success, in a shape of its own: OAuth 2.0 asks for other ones than the API's. */
export class OtherAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | string | undefined;

  constructor(status: number, headers: Readonly<Record<string, string>>, body?: object | string) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

const JSON_TYPE = "application/json; charset=utf-8";

/** Sends what a handler has returned. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, schema, mediaType }: Success,
  answer: unknown,
): FastifyReply {
  if (answer instanceof OtherAnswer) return sendOther(reply, answer);
  reply.code(status);
  if (schema !== undefined) return sendJson(request, reply, answer);
  if (mediaType === undefined) return reply.send();
  reply.type(`${mediaType}; charset=utf-8`);
  if (!(answer instanceof FileAnswer)) return reply.send(answer);
  return reply
    .header("Content-Disposition", `attachment; filename="${answer.fileName}"`)
    .header("Content-Length", answer.bytes)
    .send(answer.content);
}

export const sendOther = (reply: FastifyReply, { status, headers, body }: OtherAnswer): FastifyReply =>
  reply.code(status).headers(headers).send(body);

function sendJson(request: FastifyRequest, reply: FastifyReply, answer: unknown): FastifyReply {
  if (isItem(answer)) {
    reply.headers(itemHeaders(answer.etag));
    if (isKnown(request, answer.etag)) return reply.code(304).send();
    return sendJson(request, reply, answer.resource);
  }
  if (answer instanceof StreamedPage) {
    return reply.type(JSON_TYPE).send(Readable.from(answer.json(), { objectMode: false }));
  }
  if (answer instanceof JsonBytes) {
    const { buffer, byteOffset, byteLength } = answer.bytes;
    return reply.type(JSON_TYPE).send(Buffer.from(buffer, byteOffset, byteLength));
  }
  return reply.send(answer);
}
