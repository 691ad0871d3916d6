import { Readable } from "node:stream";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";

/** A recording in small chunks that counts requests, and records whether it was released. */
export class Watched {
  pulls = 0;
  isClosed = false;
  readonly #chunks: readonly Uint8Array[];
  readonly #failure: unknown;

  /** @param failure an error after the last chunk; undefined for no error */
  constructor(chunks: readonly Uint8Array[], failure?: unknown) {
    this.#chunks = chunks;
    this.#failure = failure;
  }

  async *iterable(): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of this.#chunks) {
        this.pulls += 1;
        yield chunk;
      }
      this.pulls += 1;
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      this.isClosed = true;
    }
  }

  /** A stream without a buffer. */
  stream(): ReadableStream<Uint8Array> {
    const iterator = this.iterable();
    return new ReadableStream(
      {
        async pull(controller) {
          const { done, value } = await iterator.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: async () => {
          this.isClosed = true;
        },
      },
      { highWaterMark: 0 },
    );
  }

  readable(): Readable {
    return Readable.from(this.iterable(), { highWaterMark: 1 });
  }
}

/** A chunk of 100 rows, and a header before the first. */
export const chunks = Array.from({ length: 50 }, (_, i) =>
  joined([
    ...(i === 0 ? [asiInf()] : []),
    ...Array.from({ length: 100 }, (_, j) => navPvt(civilTime((i * 100 + j) * 100))),
  ]),
);

/** Long enough for pending work to finish. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Chunks that arrive in separate turns of the event loop. */
export async function* later(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await new Promise((resolve) => setImmediate(resolve));
    yield chunk;
  }
}

/** An ordinary stream. */
export function streamOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}
