import { serviceError } from "../service/refusals.js";
import type { StreamInput } from "./stream-input.js";

/**
 * Maximum number of bytes that are buffered for the service; a device needs several hours to fill the buffer. At this limit, reading from
 * the device stops.
 */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Input that can be read only once, such as a device. Buffers the bytes until the service has stored them. */
export class KeptInput implements StreamInput {
  readonly recording: string;
  readonly endsWithCommand = true;
  readonly #source: AsyncIterable<Uint8Array> & { destroy(): void };
  #kept: Uint8Array[] = [];
  /** Offset of the first buffered byte, and of the next byte of the source. */
  #from = 0;
  #to = 0;
  #isComplete = false;
  #failure: unknown = null;
  #onChange: () => void = () => {};
  #changed: Promise<void>;

  /** @param before bytes to send first */
  constructor(
    source: AsyncIterable<Uint8Array> & { destroy(): void },
    recording: string,
    before: Uint8Array = new Uint8Array(),
  ) {
    this.#source = source;
    this.recording = recording;
    this.#changed = this.#nextChange();
    if (before.length > 0) this.#add(before);
    void this.#fill();
  }

  async *read(offset: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (offset < this.#from) {
      throw serviceError(
        "SERVICE_REFUSED",
        "The service requests bytes that were discarded after it had stored them. Start a new recording.",
      );
    }
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    for (let at = offset; !signal.aborted; ) {
      const changed = this.#changed;
      const piece = this.#pieceAt(at);
      if (piece !== null) {
        at += piece.length;
        yield piece;
      } else if (this.#failure !== null) {
        throw this.#failure;
      } else if (this.#isComplete) {
        return;
      } else {
        await Promise.race([changed, aborted]);
      }
    }
  }

  acknowledge(offset: number): void {
    for (let first = this.#kept[0]; first !== undefined; first = this.#kept[0]) {
      if (this.#from + first.length > offset) break;
      this.#from += first.length;
      this.#kept.shift();
    }
    this.#notify();
  }

  end(): void {
    this.#isComplete = true;
    this.#source.destroy();
    this.#notify();
  }

  close(): void {
    this.#source.destroy();
  }

  async #fill(): Promise<void> {
    try {
      for await (const bytes of this.#source) {
        this.#add(Uint8Array.from(bytes));
        while (this.#to - this.#from > MAX_KEPT_BYTES) await this.#changed;
      }
      this.#isComplete = true;
    } catch (error) {
      // the end of the recording closes the source, which is not a failure
      if (!this.#isComplete) this.#failure = error;
    }
    this.#notify();
  }

  #add(bytes: Uint8Array): void {
    this.#kept.push(bytes);
    this.#to += bytes.length;
    this.#notify();
  }

  #pieceAt(offset: number): Uint8Array | null {
    let from = this.#from;
    for (const piece of this.#kept) {
      if (offset < from + piece.length) return piece.subarray(offset - from);
      from += piece.length;
    }
    return null;
  }

  #notify(): void {
    this.#onChange();
    this.#changed = this.#nextChange();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }
}
