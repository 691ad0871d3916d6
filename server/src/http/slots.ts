import type { FastifyReply } from "fastify";
import { errors } from "../domain/errors.js";

/** When to try again: most files take less. */
const RETRY_AFTER_MS = 5_000;

/** How many requests with files a process serves at a time, from the end of their header to the end of their answer. */
export class Slots {
  readonly #size: number;
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** @throws ServiceError `throttled` when all are taken */
  take(reply: FastifyReply): void {
    if (this.#taken >= this.#size) throw errors.throttled(RETRY_AFTER_MS);
    this.#taken++;
    // Comes once for every answer: sent, or cut off by the client.
    reply.raw.once("close", () => this.#taken--);
  }
}
