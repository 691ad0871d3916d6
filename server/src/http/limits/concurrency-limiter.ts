import type { FastifyReply } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { ResponseBudget } from "../connection/response-budget.js";
import { onResponseEnd } from "../connection/response-end.js";
import { transferOf } from "../connection/slow-clients.js";

/** When to try again; most files take less time. */
const RETRY_AFTER_MS = 5_000;
/** How long a file may take while others wait because all slots are taken. */
export const FAIR_HOLD_MS = 300_000;
/** The same where its address has more than its fair share: less than others wait. */
export const OVER_SHARE_HOLD_MS = 10_000;
/** The rate below which a client is slow then: 2 Mbit/s. */
export const BUSY_BYTES_PER_SECOND = 256 * 1024;

/**
 * Limits the requests with files that a process serves at a time, in total, for each user, and for all users of one address:
 * half of the slots. Who finds them taken waits a while; the address that has least is first, and ends the oldest request of the
 * address that has most if that is more than its fair share, or the oldest request whose client is slow.
 */
export class ConcurrencyLimiter {
  readonly #perUser: number;
  readonly #places: ResponseBudget;

  constructor(size: number, perUser: number) {
    this.#perUser = perUser;
    this.#places = new ResponseBudget({
      process: size,
      address: Math.ceil(size / 2),
      caller: perUser,
      fairHoldMs: FAIR_HOLD_MS,
      overShareHoldMs: OVER_SHARE_HOLD_MS,
      busyBytesPerSecond: BUSY_BYTES_PER_SECOND,
      refusal: () => errors.throttled(RETRY_AFTER_MS),
    });
  }

  /**
   * Takes a slot until the response has ended or the slot is released.
   * @returns releases the slot; may be called more than once
   * @throws ServiceError `throttled` when all slots of the user are taken, or when all of the process or of the address are for
   *   too long; Error when the client has left
   */
  async take(
    { raw, request }: Pick<FastifyReply, "raw" | "request">,
    user = `${request.ctx.caller?.id}`,
  ): Promise<() => void> {
    if (this.#places.heldBy(user) >= this.#perUser) throw errors.throttled(RETRY_AFTER_MS);
    const place = this.#places.open(
      user,
      request.onBehalfOf.group,
      () => request.raw.socket.destroy(),
      () => transferOf(request.raw),
    );
    onResponseEnd({ raw, request }, () => place.release());
    await place.reserve(1, request.ctx.signal);
    return () => place.release();
  }
}
