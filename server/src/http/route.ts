import type { StaticDecode, TSchema } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import {
  access,
  authorize,
  authorizeRole,
  type IdsOf,
  type OperationId,
  type TargetOf,
} from "../domain/change/access.js";
import { accessRecheck } from "../domain/change/access-recheck.js";
import type { Context } from "../domain/change/context.js";
import { errors, ServiceError } from "../domain/change/errors.js";
import { AlreadyDone } from "../domain/change/idempotency.js";
import type { PathIds } from "../domain/change/rule.js";
import { MULTIPART } from "./body/bodies.js";
import type { EventStream } from "./connection/event-stream.js";
import type { LineStream } from "./connection/line-stream.js";
import { takeResponseRoom } from "./connection/response-room.js";
import { readIdempotencyKey, readStored, sendStored } from "./idempotency.js";
import { refuseIgnored, tellIgnored } from "./ignored.js";
import { inOuterTurn, inRequestTurn } from "./limits/request-queue.js";
import { type AnyOperation, methodsOf, type Operation } from "./operation.js";
import { type IdsIn, pathIds, routePath } from "./path-ids.js";
import { type Success, sendCustom, sendResult } from "./responses.js";
import { decoder, queryDecoder } from "./validation.js";
import { routeWebSockets } from "./web-socket/route.js";

const FORM = "application/x-www-form-urlencoded";

const mediaType = ({ headers }: FastifyRequest) =>
  headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();

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
    /** Releases the slot of the request before the response has ended; undefined if it has no slot. */
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
  // Do not store a hash of the body with the key, because someone could guess a password from the hash.
  const repeats = operation.body?.properties?.password === undefined && operation.isRepeatable !== true;
  const idsOf = (request: FastifyRequest) => request.ids as unknown as IdsOf<Op>;
  /**
   * Checks the token again, and the right to read, if the request has waited for its turn or its body since they were checked. A
   * change checks them in its transaction.
   */
  const recheck = (request: FastifyRequest) => {
    const { ctx, method } = request;
    return accessRecheck(ctx, async () => {
      ctx.checkedMs = ctx.clock.now().getTime();
      if (method === "GET" || method === "HEAD") request.target = await authorize(ctx, id, idsOf(request));
    })();
  };
  const run = async (request: FastifyRequest, reply: FastifyReply) => {
    await recheck(request);
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
  /** Handles the request as a new one, because its key was known when the headers arrived but has expired since. */
  const startAnew = async (request: FastifyRequest) => {
    request.isReplay = false;
    request.target = await authorize(request.ctx, id, idsOf(request));
  };
  const schema = success.schema as TSchema | undefined;
  const isLarge =
    operation.hasLargeResponse === true ||
    schema?.type === "array" ||
    schema?.properties?.results !== undefined;
  const isHeavy = ({ query }: FastifyRequest) =>
    operation.isHeavy === true || operation.heavyWith?.some((name) => name in (query as object)) === true;
  const inTurn = <T>(request: FastifyRequest, work: () => Promise<T>) => inRequestTurn(app, request, work);
  /** Checks before the body is read. */
  const begin = async (request: FastifyRequest, reply: FastifyReply) => {
    // Finding the target and throttling both wait for the database, so run them concurrently. Throttling takes precedence over
    // other errors.
    const found = inTurn(request, () => findTarget(request));
    found.catch(() => undefined);
    await count(request, reply);
    await found;
  };
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
        await begin(request, reply);
        if (operation.unsupportedTypeResponse !== undefined && mediaType(request) !== operation.consumes) {
          return sendCustom(reply, operation.unsupportedTypeResponse);
        }
        if (operation.takesSlot) request.releaseSlot = await app.slots.take(reply);
      },
      async handler(request, reply) {
        if (operation.waitsForOthers) {
          const result = await inOuterTurn(app, request, () => run(request, reply));
          await takeResponseRoom(app, request, reply, isLarge);
          await recheck(request);
          return sendResult(request, reply, success, result);
        }
        await takeResponseRoom(app, request, reply, isLarge);
        if (request.isReplay) await recheck(request);
        const stored = await readStored(request);
        if (stored !== undefined) return sendStored(request, reply, stored);
        const work = () => run(request, reply);
        try {
          if (request.isReplay) await inTurn(request, () => startAnew(request));
          // The client determines the duration of a file transfer. Slots limit the number of concurrent transfers.
          const result = await (operation.takesSlot
            ? work()
            : inRequestTurn(app, request, work, { isHeavy: isHeavy(request) }));
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
  if (operation.webSocket !== true) return;
  routeWebSockets(app, routePath(operation.path), {
    config: { operation: operation as AnyOperation },
    onRequest: begin,
    async begin(request, reply) {
      await takeResponseRoom(app, request, reply, isLarge);
      return (await inTurn(request, () => run(request, reply))) as EventStream | LineStream;
    },
  });
}
