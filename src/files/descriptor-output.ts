import { close, constants, open, write } from "node:fs";
import { abortError } from "../errors.js";

// Where the descriptor does not block, whoever shares it having said so, a full pipe is asked again this much later.
const RETRY_MS = 5;

/**
 * An output that is written through and not renamed: the standard output, a pipe, a device. Waits while the other end is
 * full, without holding up the event loop.
 */
export class DescriptorOutput {
  readonly #file: number;
  readonly #signal: AbortSignal | undefined;
  #bytes = 0;

  /** @param signal interrupts a write that waits, with `ABORTED` */
  constructor(file: number, signal?: AbortSignal) {
    this.#file = file;
    this.#signal = signal;
  }

  /** Opens a pipe or device that is there; waits for the reader of a pipe. Throws `ABORTED` and the system's errors. */
  static async open(path: string, signal?: AbortSignal): Promise<DescriptorOutput> {
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

  /** Writes all of `bytes`. Throws `ABORTED` and the system's errors (`EPIPE` when the other end is closed). */
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
        if (error === null) resolve(written);
        else if (error.code === "EAGAIN") setTimeout(resolve, RETRY_MS, 0);
        else reject(error);
      });
    });
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
