import { errors } from "../../domain/change/errors.js";
import { Tally } from "../../fairness/tally.js";

/** Bodies up to this size use a reserved part of the budget, so large bodies do not block them. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** Reserved fraction of the budget. */
const SMALL_SHARE = 1 / 4;
/** Fraction of each part that one address may hold. */
const ADDRESS_SHARE = 1 / 2;

/** Delay before a retry. Most bodies arrive in less time. */
const RETRY_AFTER_MS = 2_000;

/** Share of the budget held by one request. */
export interface BodyShare {
  /**
   * Counts received bytes.
   * @throws ServiceError `throttled` if the caller or its address has too many bytes in transit, `unavailable` if the process has
   *   too many
   */
  add(bytes: number): void;
  /** Releases all bytes. */
  release(): void;
}

/**
 * Limits the bytes of request bodies in a process, from their arrival to the end of the response: in total, per
 * address, and per caller. A body may exceed a limit if it is the only one that counts towards the limit.
 */
export class BodyBudget {
  readonly #limits: { small: number; large: number; caller: number };
  readonly #held = { small: 0, large: 0 };
  readonly #byAddress = { small: new Tally<string>(), large: new Tally<string>() };
  readonly #byCaller = new Tally<string>();

  /**
   * @param processBytes limit for all callers
   * @param callerBytes limit for one caller
   */
  constructor(processBytes: number, callerBytes: number) {
    const small = Math.floor(processBytes * SMALL_SHARE);
    this.#limits = { small, large: processBytes - small, caller: callerBytes };
  }

  /** Bytes currently held. */
  get held(): number {
    return this.#held.small + this.#held.large;
  }

  /**
   * Starts counting the body of a request.
   * @param caller sender of the body
   * @param address address of the caller
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
    /** Whether this body together with others exceeds a limit. */
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
          throw errors.unavailable("The service is receiving too many bytes at once.", RETRY_AFTER_MS);
        }
      },
      release: () => count(-own),
    };
  }
}
