import type { Readable } from "node:stream";

/** Maximum size of a piece. Memory contains at most this number of bytes, in addition to the buffer of the connection. */
const PIECE_BYTES = 256 * 1024;

/**
 * The reason why no further piece follows: the body is complete, the client has disconnected, nothing arrives, or the abort
 * reason of the signal.
 */
export type Ending = "complete" | "broken" | "idle" | string;

export interface Arrived {
  bytes: Buffer;
  /** Null if further pieces follow. */
  end: Ending | null;
}

/**
 * Divides an endless body into pieces: the bytes that arrive within `everyMs` after the first byte of the piece, at most
 * `PIECE_BYTES`. Between two calls to `next`, nothing is read, so a slow reader slows down the client.
 */
export class ArrivingBytes {
  readonly #body: Readable;
  readonly #times: { everyMs: number; idleMs: number };
  readonly #signal: AbortSignal;
  #isBroken: boolean;
  /**
   * Fraction of the interval for the next piece. The first fraction is random, because devices send at the same
   * moments, and all pieces would be stored at once.
   */
  #part = Math.random();

  constructor(body: Readable, times: { everyMs: number; idleMs: number }, signal: AbortSignal) {
    this.#body = body;
    this.#times = times;
    this.#signal = signal;
    this.#isBroken = body.destroyed && !body.readableEnded;
    body.on("error", () => {
      this.#isBroken = true;
    });
    body.on("close", () => {
      this.#isBroken ||= !body.readableEnded;
    });
  }

  /** Waits for the next piece. */
  next(): Promise<Arrived> {
    const body = this.#body;
    const pieces: Buffer[] = [];
    let bytes = 0;
    let due: NodeJS.Timeout | undefined;
    return new Promise((resolve) => {
      const finish = (end: Ending | null) => {
        body.off("data", onData).off("end", onEnd).off("close", onClose);
        this.#signal.removeEventListener("abort", onAbort);
        this.#part = 1;
        body.pause();
        clearTimeout(due);
        clearTimeout(idle);
        resolve({ bytes: Buffer.concat(pieces, bytes), end });
      };
      const onData = (piece: Buffer) => {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes >= PIECE_BYTES) return finish(null);
        due ??= setTimeout(() => finish(null), this.#part * this.#times.everyMs);
      };
      const onEnd = () => finish("complete");
      const onClose = () => finish("broken");
      const onAbort = () => finish(String(this.#signal.reason));
      const idle = setTimeout(() => finish("idle"), this.#times.idleMs);
      if (this.#isBroken) return finish("broken");
      if (body.readableEnded) return finish("complete");
      if (this.#signal.aborted) return onAbort();
      this.#signal.addEventListener("abort", onAbort);
      body.on("data", onData).once("end", onEnd).once("close", onClose);
      body.resume();
    });
  }

  /** Reads and discards the rest, because a client reads the response only after it has sent the body. */
  discard(): void {
    this.#body.resume();
  }
}
