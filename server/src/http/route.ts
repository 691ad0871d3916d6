import type { Readable } from "node:stream";
import type { StaticDecode, TSchema } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import type { Config } from "../config/config.js";
import {
  access,
  authorize,
  authorizeRole,
  type IdsOf,
  type OperationId,
  type TargetOf,
} from "../domain/change/access.js";
import type { Context } from "../domain/change/context.js";
import { errors, ServiceError } from "../domain/change/errors.js";
import { AlreadyDone } from "../domain/change/idempotency.js";
import type { PathIds } from "../domain/change/rule.js";
import { MULTIPART } from "./body/bodies.js";
import { takeResponseRoom } from "./connection/response-room.js";
import { readIdempotencyKey, readStored, sendStored } from "./idempotency.js";
import { refuseIgnored, tellIgnored } from "./ignored.js";
import { inOuterTurn, inRequestTurn } from "./limits/request-queue.js";
import type { ThrottleScope } from "./limits/throttle.js";
import {
  type CustomResponse,
  type HandlerResult,
  type ResponseHead,
  type Success,
  sendCustom,
  sendResult,
} from "./responses.js";
import { decoder, queryDecoder } from "./validation.js";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
type IdsIn<Path extends string> = Pick<PathIds, NamesIn<Path> & keyof PathIds>;

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
   * Version 2 operations report errors as problem details, have 401 and 409, and refuse parts that
   * version 1 ignores.
   * Operations on files have version 2 paths, but follow version 1 in this respect.
   */
  version?: 2;
  deprecated?: boolean;
  /** Planned removal date of a deprecated operation (RFC 8594), and path of its successor. */
  sunset?: string;
  successor?: string;
  /** Whether the operation is enabled in the configuration; otherwise it returns status 410. */
  isEnabled?(config: Config): boolean;
  query?: Q;
  body?: B;
  /** PATCH on the same path, if its body differs from the main method. */
  patch?: { body: P; handle(call: Call<Op, Path, Q, P>): HandlerResult<S> };
  /**
   * Replaces `handle` if `when` returns true, such as for an object on which the caller has another right. It has a different
   * body, which it validates itself.
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
  /** Media type of a request body that is not JSON; the handler validates such a body. */
  consumes?: string;
  /** Whether the body may also be a file, `application/octet-stream`. */
  consumesFile?: boolean;
  /** Only for the OpenAPI document. */
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
  /** Whether an object in the response can be several megabytes. Lists always count as large. */
  hasLargeResponse?: boolean;
  /** Whether it may process thousands of rows, so that a caller can run only a few concurrently. */
  isHeavy?: boolean;
  /**
   * Whether it makes other requests as the caller and waits for them, and therefore has another queue and reserves no memory
   * before they end.
   */
  waitsForOthers?: boolean;
  /** Whether an `Idempotency-Key` is ignored: repeating the request has no further effect, or its response has a secret that must not be stored. */
  isRepeatable?: boolean;
  /** Whether a ticket in the query can replace the token, for clients that cannot send headers. */
  acceptsTicket?: boolean;
  /** Whether the body lasts as long as the client sends it. The handler ends it when no more bytes arrive. */
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

/** All methods of the operation. */
export const methodsOf = ({ method, otherMethods = [], patch }: AnyOperation): Method[] => [
  method,
  ...otherMethods,
  ...(patch === undefined ? [] : (["PATCH"] as const)),
];

const FORM = "application/x-www-form-urlencoded";

const mediaType = ({ headers }: FastifyRequest) =>
  headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();

/** Pattern of a path parameter. A path with another segment is unknown: status 404. */
const patterns: Partial<Record<keyof PathIds, string>> = {
  job: "^job-[0-9a-f-]{36}$|^[1-9]\\d{0,15}$",
  serial: "^[A-Za-z0-9_][A-Za-z0-9._-]{0,15}$",
};
const INTEGER_PATTERN = "^[1-9]\\d{0,15}$";

const routePath = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: keyof PathIds) => `:${name}(${patterns[name] ?? INTEGER_PATTERN})`);

function pathIds(params: unknown): PathIds {
  const ids = Object.entries(params as Record<string, string>).map(([name, value]) => {
    if (name === "job" || name === "serial") return [name, value];
    const id = Number(value);
    if (!Number.isSafeInteger(id)) throw errors.notFound();
    return [name, id];
  });
  return Object.fromEntries(ids);
}

declare module "fastify" {
  interface FastifyInstance {
    /** All routed operations. */
    operations: AnyOperation[];
  }
  interface FastifyContextConfig {
    operation?: AnyOperation;
  }
  interface FastifyRequest {
    /** Context of the call; set before any code of a route runs. */
    ctx: Context;
    ids: PathIds;
    target: unknown;
    /** Releases the slot of the request before the response has ended; undefined without a slot. */
    releaseSlot: (() => void) | undefined;
  }
}

/**
 * Routes an operation. Before its handler runs, in this order: throttle by address, authentication, throttle by user, role,
 * object of the path and the right on it, then the structure of query and body.
 */
export function route<
  Op extends OperationId,
  const Path extends string,
  Q extends TSchema,
  B extends TSchema,
  P extends TSchema,
  S extends Success,
>(
  app: FastifyInstance,
  operation: Operation<Op, Path, Q, B, P, S> & { path: IdsIn<Path> extends IdsOf<Op> ? Path : never },
): void {
  const { id, success, patch, instead, csv } = operation;
  const readQuery = operation.query && queryDecoder(operation.query);
  const readBody = operation.body && decoder(operation.body);
  const readPatch = patch && decoder(patch.body);
  // Do not store a hash of the body with the key, because a password could be guessed from it.
  const repeats = operation.body?.properties?.password === undefined && operation.isRepeatable !== true;
  const idsOf = (request: FastifyRequest) => request.ids as unknown as IdsOf<Op>;
  const run = async (request: FastifyRequest, reply: FastifyReply) => {
    const { ctx, ids } = request;
    const isPatch = patch !== undefined && request.method === "PATCH";
    const isCsv = csv !== undefined && request.body instanceof Uint8Array;
    const parts = [
      { schema: operation.query ?? operation.describedQuery, given: request.query },
      { schema: isCsv ? undefined : isPatch ? patch.body : operation.body, given: request.body },
    ] as const;
    if (operation.version === 2) refuseIgnored(...parts);
    else tellIgnored(reply, ...parts);
    const query = readQuery?.(request.query) as StaticDecode<Q>;
    const call = { ctx, ids, target: request.target as TargetOf<Op>, query, request, reply };
    if (instead?.when(call.target)) return instead.handle(call);
    if (isCsv) return csv.handle({ ...call, csv: request.body as Uint8Array });
    return isPatch
      ? patch.handle({ ...call, body: readPatch?.(request.body) as StaticDecode<P> })
      : operation.handle({ ...call, body: readBody?.(request.body) as StaticDecode<B> });
  };
  const count = async (request: FastifyRequest, reply: FastifyReply) => {
    for (const scope of operation.throttle ?? []) await app.throttle(scope, request, reply);
  };
  const findTarget = async (request: FastifyRequest) => {
    authorizeRole(request.ctx, id);
    if (operation.isEnabled?.(app.config) === false) throw errors.gone("This operation is disabled.");
    request.ids = pathIds(request.params);
    const ifMatch = request.headers["if-match"];
    if (ifMatch !== undefined) request.ctx.ifMatch = ifMatch;
    if (repeats) await readIdempotencyKey(request, success);
    if (request.isReplay) return;
    try {
      request.target = await authorize(request.ctx, id, idsOf(request));
    } catch (error) {
      // An operation such as a release removes the right to repeat it. If another request with the same key has just made the
      // change, the caller still gets the stored response.
      if (!(error instanceof ServiceError) || request.ctx.idempotency === undefined) throw error;
      await readIdempotencyKey(request, success);
      if (!request.isReplay) throw error;
    }
  };
  /** The key was known when the headers arrived but has expired, so the request is a new one. */
  const startAnew = async (request: FastifyRequest) => {
    request.isReplay = false;
    request.target = await authorize(request.ctx, id, idsOf(request));
  };
  const schema = success.schema as TSchema | undefined;
  const isLarge =
    operation.hasLargeResponse === true ||
    schema?.type === "array" ||
    schema?.properties?.results !== undefined;
  const { isHeavy = false } = operation;
  const inTurn = <T>(request: FastifyRequest, work: () => Promise<T>) => inRequestTurn(app, request, work);
  app.operations.push(operation as AnyOperation);
  for (const path of [operation.path, ...(operation.otherPaths ?? [])]) {
    app.route({
      method: methodsOf(operation as AnyOperation) as HTTPMethods[],
      url: routePath(path),
      ...(operation.bodyLimitBytes === undefined ? {} : { bodyLimit: operation.bodyLimitBytes }),
      config: {
        operation: operation as AnyOperation,
        form: operation.consumes === FORM,
        multipart: operation.consumes === MULTIPART,
        file: operation.consumesFile === true,
        open: access[id].roles === null,
      },
      async onRequest(request, reply) {
        // Both wait for the database, so run them concurrently. Throttling takes precedence over other errors.
        const found = inTurn(request, () => findTarget(request));
        found.catch(() => undefined);
        await count(request, reply);
        await found;
        if (operation.unsupportedTypeResponse !== undefined && mediaType(request) !== operation.consumes) {
          return sendCustom(reply, operation.unsupportedTypeResponse);
        }
        if (operation.takesSlot) request.releaseSlot = await app.slots.take(reply);
      },
      async handler(request, reply) {
        if (operation.waitsForOthers) {
          const result = await inOuterTurn(app, request, () => run(request, reply));
          await takeResponseRoom(app, request, reply, isLarge);
          return sendResult(request, reply, success, result);
        }
        await takeResponseRoom(app, request, reply, isLarge);
        const stored = await readStored(request);
        if (stored !== undefined) return sendStored(request, reply, stored);
        const work = () => run(request, reply);
        try {
          if (request.isReplay) await inTurn(request, () => startAnew(request));
          // The client determines the duration of a file transfer; slots limit the number of concurrent transfers.
          const result = await (operation.takesSlot
            ? work()
            : inRequestTurn(app, request, work, { isHeavy }));
          const justStored = request.ctx.idempotency?.response;
          if (justStored !== undefined) return sendStored(request, reply, justStored);
          return sendResult(request, reply, success, result);
        } catch (error) {
          if (error instanceof AlreadyDone) return sendStored(request, reply, error.response);
          request.responseShare?.resize(0);
          throw error;
        }
      },
    });
  }
}
