import type { Engine, OutputKind, Signal } from "./engine.js";
import { AsiError } from "./errors.js";
import { headerlessInfo, readHeader } from "./header.js";
import type { DecodeOptions, RecordingInfo, Report } from "./types.js";

/**
 * Drives an engine over one recording and judges what it meets: headers, serial numbers, damage under `strict`.
 * Knows no streams and no promises. Usage: `give` a chunk when `isHungry`, `end` when there is none, `advance` otherwise,
 * and read the output of the engine after each `advance`, until `isDone`.
 */
export class Decoder {
  readonly engine: Engine;
  readonly #serial: string | undefined;
  #info: RecordingInfo | null = null;
  #header: Uint8Array | null = null;
  #chunk: Uint8Array = NOTHING;
  #offset = 0;
  #ended = false;
  // Whether the last step stopped before it had used what was written.
  #isStopped = false;
  #failure: AsiError | null = null;
  #state: "hungry" | "working" | "done" = "hungry";

  /** @param options checked by `checkDecodeOptions` */
  constructor(engine: Engine, output: OutputKind, options: DecodeOptions) {
    this.engine = engine;
    this.#serial = options.serial;
    engine.reset({
      output,
      serial: options.serial ?? null,
      needsHeader: options.serial === undefined,
      strict: options.strict ?? false,
      // rows stand at whole milliseconds
      fromMs: options.from === undefined ? Number.NEGATIVE_INFINITY : Math.ceil(Number(options.from)),
      toMs: options.to === undefined ? Number.POSITIVE_INFINITY : Math.floor(Number(options.to)),
      fillHrMs: options.fillHrMs ?? 0,
    });
  }

  get isHungry(): boolean {
    return this.#state === "hungry";
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  /** What the header says; null until one has been met. */
  get info(): RecordingInfo | null {
    return this.#info;
  }

  /** Payload of the header with which the last `advance` ended; its place is behind the output of that step. */
  get header(): Uint8Array | null {
    return this.#header;
  }

  give(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#offset = 0;
    this.#state = "working";
  }

  end(): void {
    this.#ended = true;
    this.#state = "working";
  }

  /**
   * Reads on, one step. Throws the errors of the format, each one step later than it was met: what stands in front of it
   * is the output of its step, and comes out however the input was cut.
   */
  advance(): void {
    if (this.#failure !== null) throw this.#failure;
    // A step that stopped goes on with what it has: to fill the room up again would move all that waits in it.
    if (!this.#isStopped && this.#offset < this.#chunk.length) {
      this.#offset += this.engine.write(this.#chunk, this.#offset);
    }
    const isAllWritten = this.#offset >= this.#chunk.length;
    const signal = this.engine.step(this.#ended && isAllWritten);
    this.#header = null;
    this.#isStopped = signal.kind !== "drained";
    if (signal.kind !== "drained") {
      this.#failure = this.#objectionTo(signal);
    } else if (isAllWritten) {
      this.#chunk = NOTHING;
      this.#offset = 0;
      this.#state = this.#ended ? "done" : "hungry";
    }
  }

  /** The whole account and what is known of the device, once `isDone`. Throws `NOT_A_RECORDING` when no frame was found. */
  conclude(): { info: RecordingInfo; report: Report } {
    const report = this.engine.report();
    const { header, gnss, ecgHr, ecgRaw, unknown } = report.frames;
    if (header + gnss + ecgHr + ecgRaw + unknown === 0) {
      throw new AsiError(
        "NOT_A_RECORDING",
        report.bytes.total === 0
          ? "The input is empty."
          : "There is no valid frame in the input; it is no .asi recording, or damaged beyond reading.",
        { byteOffset: 0, report },
      );
    }
    return { info: this.currentInfo(), report };
  }

  /** What is known of the device so far. */
  currentInfo(): RecordingInfo {
    return this.#info ?? headerlessInfo(this.#serial ?? "");
  }

  // What the signal is an error of; null when it is none.
  #objectionTo(signal: Exclude<Signal, { kind: "drained" }>): AsiError | null {
    const { byteOffset } = signal;
    switch (signal.kind) {
      case "header":
        return this.#takeHeader(signal.payload, byteOffset);
      case "notRecording":
        return new AsiError(
          "NOT_A_RECORDING",
          "The input begins with another frame than a recording header. If it is a plain u-blox log, give its serial number (option serial).",
          { byteOffset },
        );
      case "damaged":
        return new AsiError(
          "DAMAGED",
          `${DAMAGE_TEXT[signal.damage]} Leave the option strict out to read around it.`,
          { byteOffset },
        );
    }
  }

  #takeHeader(payload: Uint8Array, byteOffset: number): AsiError | null {
    const info = readHeader(payload, byteOffset, this.#serial);
    if (info instanceof AsiError) return info;
    this.#info ??= info;
    if (info.serial !== this.#info.serial) {
      return new AsiError(
        "MIXED_DEVICES",
        `The recording of ${this.#info.serial} goes on with one of ${info.serial}; separate the two, or give one serial number for both (option serial).`,
        { byteOffset },
      );
    }
    this.#header = payload.slice();
    return null;
  }
}

const NOTHING = new Uint8Array(0);

const DAMAGE_TEXT: Record<keyof Report["damage"], string> = {
  badChecksums: "The checksum of the frame at this place is wrong.",
  overlong: "The frame at this place claims more bytes than a frame can have.",
  overruns: "The frame at this place runs past the end of the input.",
};
