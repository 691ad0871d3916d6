import { close, constants, open, openSync, statSync, write } from "node:fs";
import { abortError } from "../errors.js";

// Maximum interval between retries when a pipe is full and its descriptor is non-blocking. The first intervals are shorter.
const MAX_RETRY_MS = 5;
// A named pipe is opened as soon as it has a reader, which is checked at this interval.
const READER_RETRY_MS = 10;

/** A system error with the number of bytes that were written before it. */
export interface WrittenThrough {
  bytesWritten: number;
}

/**
 * An output that is written directly and not renamed: the standard output, a pipe or a device. While a pipe is full, writing
 * waits without blocking the event loop.
 */
export class DescriptorOutput {
  readonly #file: number;
  readonly #signal: AbortSignal | undefined;
  #bytes = 0;
  #refusals = 0;

  /** @param signal interrupts a write that is waiting, with `ABORTED` */
  constructor(file: number, signal?: AbortSignal) {
    this.#file = file;
    this.#signal = signal;
  }

  /** Opens an existing pipe or device. For a pipe, it waits until there is a reader. Throws `ABORTED` and system errors. */
  static async open(path: string, signal?: AbortSignal): Promise<DescriptorOutput> {
    if (signal?.aborted === true) throw abortError(signal);
    if (statSync(path, { throwIfNoEntry: false })?.isFIFO() === true) {
      return new DescriptorOutput(await openPipe(path, signal), signal);
    }
    const file = await unlessAborted<number>(signal, (resolve, reject) => {
      open(path, constants.O_WRONLY, (error, descriptor) => {
        if (error === null) resolve(descriptor);
        else reject(error);
      });
    });
    return new DescriptorOutput(file, signal);
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Writes all of `bytes`. Throws `ABORTED` and system errors (`EPIPE` if the other end is closed), which have the property of
   * `WrittenThrough`.
   */
  async write(bytes: Uint8Array): Promise<void> {
    for (let offset = 0; offset < bytes.length; ) {
      const written = await this.#writeSome(bytes, offset);
      offset += written;
      this.#bytes += written;
    }
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => close(this.#file, () => resolve()));
  }

  #writeSome(bytes: Uint8Array, offset: number): Promise<number> {
    return unlessAborted(this.#signal, (resolve, reject) => {
      write(this.#file, bytes, offset, bytes.length - offset, null, (error, written) => {
        if (error === null) {
          this.#refusals = 0;
          resolve(written);
        } else if (error.code === "EAGAIN") {
          this.#refusals += 1;
          setTimeout(resolve, Math.min(MAX_RETRY_MS, this.#refusals >> 4), 0);
        } else {
          reject(Object.assign(error, { bytesWritten: this.#bytes } satisfies WrittenThrough));
        }
      });
    });
  }
}

// Opens a pipe without waiting for a reader, because the wait would block a thread of the pool.
async function openPipe(path: string, signal: AbortSignal | undefined): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      // there is no reader yet
      if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
    }
    let timer: NodeJS.Timeout | undefined;
    try {
      await unlessAborted<void>(signal, (resolve) => {
        timer = setTimeout(resolve, READER_RETRY_MS);
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

function unlessAborted<T>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => {
      reject(abortError(signal));
    };
    if (signal?.aborted === true) {
      onAbort();
      return;
    }
    signal?.addEventListener("abort", onAbort, { once: true });
    const settled = () => signal?.removeEventListener("abort", onAbort);
    start(
      (value) => {
        settled();
        resolve(value);
      },
      (error) => {
        settled();
        reject(error);
      },
    );
  });
}
