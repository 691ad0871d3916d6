import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Gauge } from "prom-client";
import type { Config } from "../../config/config.js";
import { errors } from "../../domain/change/errors.js";
import { ResponseBudget } from "./response-budget.js";
import { onResponseEnd } from "./response-end.js";
import type { ResponseShare } from "./response-share.js";

/** Bytes reserved before a body is created, for a body that can be several megabytes and for any other body. */
const LARGE_BODY_BYTES = 8 * 1024 * 1024;
const SMALL_BODY_BYTES = 128 * 1024;
/** Fraction of the memory reserved for small bodies, which large bodies therefore do not delay. */
const SMALL_SHARE = 1 / 4;

/** Maximum duration of a response while others wait because the process is full. */
const FAIR_HOLD_MS = 30_000;
const RETRY_AFTER_MS = 2_000;

declare module "fastify" {
  interface FastifyInstance {
    responseBudgets: { small: ResponseBudget; large: ResponseBudget };
  }
  interface FastifyRequest {
    /** Memory held by the response of this request. */
    responseShare: ResponseShare | undefined;
  }
}

/** Installs the limits on unread responses, and their metrics. */
export function limitUnreadResponses(app: FastifyInstance, config: Config): void {
  const { responseMemoryBytes: process, responseMemoryPerCallerBytes: caller } = config;
  const part = (share: number) =>
    // Give a caller half of the share of an address, because one user must not delay others at the same address.
    new ResponseBudget({
      process: process * share,
      address: Math.min(2 * caller, process) * share,
      caller: caller * share,
      fairHoldMs: FAIR_HOLD_MS,
      overShareHoldMs: FAIR_HOLD_MS,
      refusal: () => errors.unavailable("The service is sending too many bytes at once.", RETRY_AFTER_MS),
    });
  const budgets = { small: part(SMALL_SHARE), large: part(1 - SMALL_SHARE) };
  app.decorate("responseBudgets", budgets);
  app.decorateRequest("responseShare", undefined);
  for (const [name, help, read] of [
    ["response_bytes_unread", "Bytes of responses that clients have not read yet", "held"],
    ["responses_waiting", "Requests that wait until clients have read other responses", "waiting"],
  ] as const) {
    new Gauge({
      name,
      help,
      registers: [app.metrics],
      collect() {
        this.set(budgets.small[read] + budgets.large[read]);
      },
    });
  }
}

/**
 * Waits until there is memory for the body of the response. The memory is reserved until the client has read the response or has
 * disconnected.
 * @throws ServiceError `throttled`, `unavailable`; Error if the client has disconnected
 */
export async function takeResponseRoom(
  { responseBudgets }: FastifyInstance,
  request: FastifyRequest,
  reply: Pick<FastifyReply, "raw" | "request">,
  isLarge: boolean,
): Promise<void> {
  const { name, group } = request.onBehalfOf;
  const budget = responseBudgets[isLarge ? "large" : "small"];
  const share = budget.open(name, group, () => request.raw.socket.destroy());
  onResponseEnd(reply, () => share.release());
  request.responseShare = share;
  await share.reserve(isLarge ? LARGE_BODY_BYTES : SMALL_BODY_BYTES, request.ctx.signal);
}
