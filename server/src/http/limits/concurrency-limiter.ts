import type { FastifyReply } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { ResponseBudget } from "../connection/response-budget.js";
import { onResponseEnd } from "../connection/response-end.js";
import { transferOf } from "../connection/slow-clients.js";

/** Delay before a retry. Most files take less time. */
const RETRY_AFTER_MS = 5_000;
/** Maximum duration of a file transfer while others wait because all slots are occupied. */
export const FAIR_HOLD_MS = 300_000;
/** The same limit for an address above its fair share. This limit is shorter than the waiting time of others. */
export const OVER_SHARE_HOLD_MS = 10_000;
/** Rate below which a client counts as slow while others wait: 2 Mbit/s. */
export const BUSY_BYTES_PER_SECOND = 256 * 1024;

/**
 * Limits the concurrent requests with files in a process: in total, per user, and per address (half of the slots). A
 * request without a free slot waits for a while. The address that holds the least is first. The waiting request ends
 * the oldest request of the address that holds the most, if that address is above its fair share, or the oldest request
 * with a slow client.
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
   * Acquires a slot until the response has ended or the slot is released.
   * @returns function that releases the slot; may be called repeatedly
   * @throws ServiceError `throttled` if all slots of the user are occupied, or if all slots of the process or of the address are
   *   occupied for too long; Error if the client has disconnected
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
