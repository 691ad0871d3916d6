import type { FastifyInstance, FastifyRequest } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { FairQueue } from "../../fairness/fair-queue.js";

/** Requests of one caller that run at a time, so that hundreds of them do not delay other callers. */
const REQUESTS_OF_ONE_CALLER = 16;
/** The same for all accounts of one address. */
const REQUESTS_OF_ONE_ADDRESS = 64;
/** Requests of one caller that may wait for their turn. */
const WAITING_REQUESTS_OF_ONE_CALLER = 400;
const RETRY_AFTER_MS = 1_000;

declare module "fastify" {
  interface FastifyInstance {
    requestQueue: FairQueue<string>;
  }
}

/** The queue in which the callers of requests take turns. */
export const createRequestQueue = () =>
  new FairQueue<string>({
    concurrency: Number.POSITIVE_INFINITY,
    concurrencyPerCaller: REQUESTS_OF_ONE_CALLER,
    concurrencyPerGroup: REQUESTS_OF_ONE_ADDRESS,
    maxWaitingPerCaller: WAITING_REQUESTS_OF_ONE_CALLER,
    refusal: () => errors.throttled(RETRY_AFTER_MS),
  });

/** Does a part of the work for a request when it is the caller's turn. */
export const inRequestTurn = <T>(
  { requestQueue }: FastifyInstance,
  { onBehalfOf: { name, group }, ctx }: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> => requestQueue.run(`${name} ${group}`, work, ctx.signal, group);
