import type { FastifyReply } from "fastify";
import { errors } from "../domain/errors.js";
import { onResponseEnd } from "./response-end.js";

/** When to try again; most files take less time. */
const RETRY_AFTER_MS = 5_000;

/** Limits the requests with files that a process serves at a time, in total and for each user. */
export class Slots {
  readonly #size: number;
  readonly #perUser: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  constructor(size: number, perUser: number) {
    this.#size = size;
    this.#perUser = perUser;
  }

  /**
   * Takes a slot until the response has ended or the slot is released.
   * @returns releases the slot; may be called more than once
   * @throws ServiceError `throttled` when all slots, or all of the user, are taken; Error when the client has left
   */
  take(user: string, reply: Pick<FastifyReply, "raw" | "request">): () => void {
    const own = this.#takenBy.get(user) ?? 0;
    if (this.#taken >= this.#size || own >= this.#perUser) throw errors.throttled(RETRY_AFTER_MS);
    let isTaken = true;
    const release = () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken--;
      const left = (this.#takenBy.get(user) ?? 1) - 1;
      if (left > 0) this.#takenBy.set(user, left);
      else this.#takenBy.delete(user);
    };
    onResponseEnd(reply, release);
    this.#taken++;
    this.#takenBy.set(user, own + 1);
    return release;
  }
}
