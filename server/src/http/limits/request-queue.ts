import type { FastifyInstance, FastifyRequest } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { FairQueue } from "../../fairness/fair-queue.js";

/** Maximum number of running requests of one caller. Hundreds of requests of one caller therefore do not delay others. */
const REQUESTS_OF_ONE_CALLER = 16;
/** Maximum number of running requests of all accounts of one address. */
const REQUESTS_OF_ONE_ADDRESS = 64;
/** Maximum number of waiting requests of one caller. */
const WAITING_REQUESTS_OF_ONE_CALLER = 400;
const RETRY_AFTER_MS = 1_000;

/**
 * Maximum number of running requests of one caller that process thousands of rows. Each yields to the event loop in
 * between, but sixteen of them would delay others sixteen times as long.
 */
const HEAVY_REQUESTS = { ofOneCaller: 2, ofOneAddress: 4 };

/**
 * Maximum number of running requests of one caller that make other requests (`waitsForOthers`). Each may hold a
 * response of several megabytes. They use a separate queue, because in the other queues they would occupy the slots for
 * which their own requests wait.
 */
const OUTER_REQUESTS = {
  ofOneCaller: 4,
  ofOneAddress: 16,
  waitingOfOneCaller: 8,
  waitingOfOneAddress: 64,
};

declare module "fastify" {
  interface FastifyInstance {
    requestQueue: FairQueue<string>;
    heavyQueue: FairQueue<string>;
    outerQueue: FairQueue<string>;
  }
}

/** Creates the fair queue for the callers of requests. */
export const createRequestQueue = () =>
  new FairQueue<string>({
    concurrency: Number.POSITIVE_INFINITY,
    concurrencyPerCaller: REQUESTS_OF_ONE_CALLER,
    concurrencyPerGroup: REQUESTS_OF_ONE_ADDRESS,
    maxWaitingPerCaller: WAITING_REQUESTS_OF_ONE_CALLER,
    refusal: () => errors.throttled(RETRY_AFTER_MS),
  });

/** Creates the fair queue for the callers of heavy requests. Waiting requests do not use slots of the other queue. */
export const createHeavyQueue = () =>
  new FairQueue<string>({
    concurrency: Number.POSITIVE_INFINITY,
    concurrencyPerCaller: HEAVY_REQUESTS.ofOneCaller,
    concurrencyPerGroup: HEAVY_REQUESTS.ofOneAddress,
    maxWaitingPerCaller: WAITING_REQUESTS_OF_ONE_CALLER,
    refusal: () => errors.throttled(RETRY_AFTER_MS),
  });

/** Creates the fair queue for the callers of requests that make other requests. */
export const createOuterQueue = () =>
  new FairQueue<string>({
    concurrency: Number.POSITIVE_INFINITY,
    concurrencyPerCaller: OUTER_REQUESTS.ofOneCaller,
    concurrencyPerGroup: OUTER_REQUESTS.ofOneAddress,
    maxWaitingPerCaller: OUTER_REQUESTS.waitingOfOneCaller,
    maxWaitingPerGroup: OUTER_REQUESTS.waitingOfOneAddress,
    refusal: () => errors.throttled(RETRY_AFTER_MS),
  });

/** Runs a request that makes other requests when the caller is next in their queue. */
export const inOuterTurn = <T>(
  app: FastifyInstance,
  { onBehalfOf: { name, group }, ctx }: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> => app.outerQueue.run(`${name} ${group}`, work, ctx.signal, group);

/** Runs a part of a request when the caller is next in the queue. */
export const inRequestTurn = <T>(
  app: FastifyInstance,
  { onBehalfOf: { name, group }, ctx }: FastifyRequest,
  work: () => Promise<T>,
  { isHeavy = false } = {},
): Promise<T> => {
  const caller = `${name} ${group}`;
  const inTurn = () => app.requestQueue.run(caller, work, ctx.signal, group);
  return isHeavy ? app.heavyQueue.run(caller, inTurn, ctx.signal, group) : inTurn();
};
