import { errors } from "../../domain/change/errors.js";

/** Bodies up to this size have a reserved part of the budget, so that large bodies do not block them. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** The fraction of the budget that is reserved. */
const SMALL_SHARE = 1 / 4;

/** When to try again; most bodies arrive in less time. */
const RETRY_AFTER_MS = 2_000;

/** The share of the budget that one request holds. */
export interface BodyShare {
  /**
   * Counts bytes that have arrived.
   * @throws ServiceError `throttled` when the caller has too many bytes in transit, `unavailable` when the process has
   */
  add(bytes: number): void;
  /** Releases all of them. */
  release(): void;
}

/**
 * Limits the bytes of request bodies that a process holds, from their arrival to the end of the response, in total
 * and for each caller. A caller with no other body in transit may always send one, which is bounded by the limit of
 * the body.
 */
export class BodyBudget {
  readonly #limits: { small: number; large: number; caller: number };
  readonly #held = { small: 0, large: 0 };
  readonly #heldBy = new Map<string, number>();

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
   * @param maxBytes maximum size of the body
   */
  open(caller: string, maxBytes: number): BodyShare {
    const part = maxBytes <= SMALL_BODY_BYTES ? "small" : "large";
    let own = 0;
    return {
      add: (bytes) => {
        own += bytes;
        this.#held[part] += bytes;
        const held = (this.#heldBy.get(caller) ?? 0) + bytes;
        this.#heldBy.set(caller, held);
        if (held > this.#limits.caller && held > own) throw errors.throttled(RETRY_AFTER_MS);
        if (this.#held[part] > this.#limits[part] && this.#held[part] > own) {
          throw errors.unavailable("The service is receiving too much at once.", RETRY_AFTER_MS);
        }
      },
      release: () => {
        this.#held[part] -= own;
        const left = (this.#heldBy.get(caller) ?? 0) - own;
        if (left > 0) this.#heldBy.set(caller, left);
        else this.#heldBy.delete(caller);
        own = 0;
      },
    };
  }
}
