import type { FastifyInstance, FastifyRequest } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { FairQueue } from "../../fairness/fair-queue.js";

/** Maximum number of running requests of one caller, so that hundreds of them do not delay other callers. */
const REQUESTS_OF_ONE_CALLER = 16;
/** Maximum number for all accounts of one address. */
const REQUESTS_OF_ONE_ADDRESS = 64;
/** Maximum number of waiting requests of one caller. */
const WAITING_REQUESTS_OF_ONE_CALLER = 400;
const RETRY_AFTER_MS = 1_000;

declare module "fastify" {
  interface FastifyInstance {
    requestQueue: FairQueue<string>;
  }
}

/** Fair queue for the callers of requests. */
export const createRequestQueue = () =>
  new FairQueue<string>({
    concurrency: Number.POSITIVE_INFINITY,
    concurrencyPerCaller: REQUESTS_OF_ONE_CALLER,
    concurrencyPerGroup: REQUESTS_OF_ONE_ADDRESS,
    maxWaitingPerCaller: WAITING_REQUESTS_OF_ONE_CALLER,
    refusal: () => errors.throttled(RETRY_AFTER_MS),
  });

/** Runs a part of a request when the caller is next in the queue. */
export const inRequestTurn = <T>(
  { requestQueue }: FastifyInstance,
  { onBehalfOf: { name, group }, ctx }: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> => requestQueue.run(`${name} ${group}`, work, ctx.signal, group);
