import { errors } from "../domain/errors.js";

/** Bodies up to this size have a part of the budget of their own, so that large ones do not keep them out. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** The size of that part, of the whole. */
const SMALL_SHARE = 1 / 4;

/** When to try again: most bodies arrive in less. */
const RETRY_AFTER_MS = 2_000;

/** What one request holds of the budget. */
export interface BodyShare {
  /**
   * Counts bytes that have arrived.
   * @throws ServiceError `throttled` when the caller has too many on the way, `unavailable` when the process has
   */
  add(bytes: number): void;
  /** Gives all of them back. */
  release(): void;
}

/**
 * How many bytes of request bodies a process holds, from their arrival to the end of the answer: for all callers together,
 * and for each. A caller with no other body on the way may always send one: the limit of the body bounds it.
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

  /** Bytes that are held now. */
  get held(): number {
    return this.#held.small + this.#held.large;
  }

  /**
   * Begins to count a request's body.
   * @param caller who sends it
   * @param maxBytes the most that the body may have
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
