import type { Readable } from "node:stream";
import type { StaticDecode, TSchema } from "@sinclair/typebox";
import type { FastifyRequest } from "fastify";
import type { Config } from "../config/config.js";
import type { OperationId, TargetOf } from "../domain/change/access.js";
import type { Context } from "../domain/change/context.js";
import type { ThrottleScope } from "./limits/throttle.js";
import type { IdsIn } from "./path-ids.js";
import type { CustomResponse, HandlerResult, ResponseHead, Success } from "./responses.js";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Validated input of a handler. */
export interface Call<Op extends OperationId, Path extends string, Q extends TSchema, B extends TSchema> {
  ctx: Context;
  ids: IdsIn<Path>;
  /** Object of the path, on which the caller's right has been checked. */
  target: TargetOf<Op>;
  query: StaticDecode<Q>;
  body: StaticDecode<B>;
  request: FastifyRequest;
  /** Reply for headers. The handler returns the result instead of sending it. */
  reply: ResponseHead;
}

/** One operation: an entry of the inventory, a route, and an entry of the OpenAPI document. */
export interface Operation<
  Op extends OperationId,
  Path extends string,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  P extends TSchema = TSchema,
  S extends Success = Success,
> {
  id: Op;
  tag: string;
  summary: string;
  description?: string;
  method: Method;
  /** Path with `{name}` for a positive integer, `{job}` and `{serial}` for text. Ends with a slash. */
  path: Path;
  /** Other accepted methods. */
  otherMethods?: readonly Method[];
  /** Other accepted paths. */
  otherPaths?: readonly string[];
  /**
   * Version 2 operations report errors as problem details, use 401 and 409, and refuse parts that version 1 ignores.
   * Operations on files use version 2 paths, but follow version 1 in this respect.
   */
  version?: 2;
  deprecated?: boolean;
  /** Planned removal date of a deprecated operation as an HTTP date (RFC 8594), and path of its successor. */
  sunset?: { date: string; successor: string };
  /** Whether the operation is enabled in the configuration; otherwise it returns status 410. */
  isEnabled?(config: Config): boolean;
  query?: Q;
  body?: B;
  /** PATCH on the same path, if its body differs from the main method. */
  patch?: { body: P; handle(call: Call<Op, Path, Q, P>): HandlerResult<S> };
  /**
   * Replaces `handle` if `when` returns true, such as for an object on which the caller has another right. It takes a different
   * body and validates it.
   */
  instead?: {
    when(target: TargetOf<Op>): boolean;
    handle(call: Omit<Call<Op, Path, Q, B>, "body">): HandlerResult<S>;
  };
  /** Reads a body of the type `text/csv`, which the operation accepts in addition to JSON. The handler validates it. */
  csv?: {
    example: string;
    handle(call: Omit<Call<Op, Path, Q, B>, "body"> & { csv: Uint8Array }): HandlerResult<S>;
  };
  /** Media type of a request body that is not JSON. The handler validates the body. */
  consumes?: string;
  /** Whether the body may also be a file, `application/octet-stream`. */
  consumesFile?: boolean;
  /** Used only for the OpenAPI document. */
  describedBody?: TSchema;
  /** Only for the OpenAPI document, if the operation parses its query. */
  describedQuery?: TSchema;
  /** Whether to report errors in the format of RFC 6749 instead of the API. */
  oauth?: boolean;
  /** Response to a body of a type other than `consumes`; default: status 415. */
  unsupportedTypeResponse?: CustomResponse;
  /** Whether to ignore the `Accept` header, because some clients send `application/json` with all requests. */
  ignoresAccept?: boolean;
  /** Maximum number of bytes of the body; default 64 KiB. */
  bodyLimitBytes?: number;
  /** Maximum number of bytes outside the longest string of the body; default 64 KiB. */
  maxBytesAroundText?: number;
  /** Reads the body instead of the JSON parser. */
  receive?(request: FastifyRequest, payload: Readable): Promise<unknown>;
  success: S;
  /** Statuses of errors that are specific to some operations. */
  failures?: readonly number[];
  /** Throttles in addition to the throttles of all operations. */
  throttle?: readonly ThrottleScope[];
  /** Whether an object in the response can have several megabytes. Lists always count as large. */
  hasLargeResponse?: boolean;
  /** Whether it may process thousands of rows. A caller can run only a few of these operations concurrently. */
  isHeavy?: boolean;
  /** Parameters of the query with which it is heavy. */
  heavyWith?: readonly string[];
  /**
   * Whether it waits for requests that it makes, as the caller or to the OpenID provider, and therefore has another queue and
   * reserves no memory before they end.
   */
  waitsForOthers?: boolean;
  /**
   * Whether an `Idempotency-Key` is ignored, because repeating the request has no further effect, or because its
   * response contains a secret that must not be stored.
   */
  isRepeatable?: boolean;
  /** Whether a ticket in the query can replace the token, for clients that cannot send headers. */
  acceptsTicket?: boolean;
  /**
   * Whether a client can also open a WebSocket, with GET on the same path and the header `Upgrade`. Its messages contain the same
   * as the body and the response.
   */
  webSocket?: boolean;
  /** Whether the body continues as long as the client sends it. The handler ends it when no more bytes arrive. */
  isContinuous?: boolean;
  /** Whether to acquire a slot (`ConcurrencyLimiter`) as soon as the headers have arrived. */
  takesSlot?: boolean;
  handle(call: Call<Op, Path, Q, B>): HandlerResult<S>;
}

/** An operation without its handlers, for the OpenAPI document and the tests. */
export type AnyOperation = Omit<Operation<OperationId, string>, "handle" | "patch" | "instead" | "csv"> & {
  patch?: { body: TSchema };
  csv?: { example: string };
};

/** Returns all methods of the operation. */
export const methodsOf = ({ method, otherMethods = [], patch }: AnyOperation): Method[] => [
  method,
  ...otherMethods,
  ...(patch === undefined ? [] : (["PATCH"] as const)),
];
