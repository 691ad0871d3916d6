import { errors } from "../../domain/change/errors.js";
import { Tally } from "../../fairness/tally.js";

/** Bodies up to this size have a reserved part of the budget, so that large bodies do not block them. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** The fraction of the budget that is reserved. */
const SMALL_SHARE = 1 / 4;
/** The fraction of each part that one address may hold. */
const ADDRESS_SHARE = 1 / 2;

/** When to try again; most bodies arrive in less time. */
const RETRY_AFTER_MS = 2_000;

/** The share of the budget that one request holds. */
export interface BodyShare {
  /**
   * Counts bytes that have arrived.
   * @throws ServiceError `throttled` when the caller or its address has too many bytes in transit, `unavailable` when the
   *   process has
   */
  add(bytes: number): void;
  /** Releases all of them. */
  release(): void;
}

/**
 * Limits the bytes of request bodies that a process holds, from their arrival to the end of the response: in total, for all callers of
 * an address, and for each caller. A caller with no other body in transit may always send one, which is bounded by the limit of
 * the body, unless the others of its address, or all, send too much.
 */
export class BodyBudget {
  readonly #limits: { small: number; large: number; caller: number };
  readonly #held = { small: 0, large: 0 };
  readonly #byAddress = { small: new Tally<string>(), large: new Tally<string>() };
  readonly #byCaller = new Tally<string>();

  /**
   * @param processBytes bytes of all callers
   * @param callerBytes bytes of one caller
   */
  constructor(processBytes: number, callerBytes: number) {
    const small = Math.floor(processBytes * SMALL_SHARE);
    this.#limits = { small, large: processBytes - small, caller: callerBytes };
  }

  /** Bytes held now. */
  get held(): number {
    return this.#held.small + this.#held.large;
  }

  /**
   * Starts counting the body of a request.
   * @param caller who sends it
   * @param address where the caller is
   * @param maxBytes maximum size of the body
   */
  open(caller: string, address: string, maxBytes: number): BodyShare {
    const part = maxBytes <= SMALL_BODY_BYTES ? "small" : "large";
    const byAddress = this.#byAddress[part];
    let own = 0;
    const count = (bytes: number) => {
      own += bytes;
      this.#held[part] += bytes;
      byAddress.add(address, bytes);
      this.#byCaller.add(caller, bytes);
    };
    /** Whether this body and others together hold more than they may. */
    const exceeds = (held: number, limit: number) => held > limit && held > own;
    return {
      add: (bytes) => {
        count(bytes);
        const { [part]: limit, caller: callerLimit } = this.#limits;
        if (
          exceeds(this.#byCaller.get(caller), callerLimit) ||
          exceeds(byAddress.get(address), limit * ADDRESS_SHARE)
        ) {
          throw errors.throttled(RETRY_AFTER_MS);
        }
        if (exceeds(this.#held[part], limit)) {
          throw errors.unavailable("The service is receiving too much at once.", RETRY_AFTER_MS);
        }
      },
      release: () => count(-own),
    };
  }
}
