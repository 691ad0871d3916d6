import type { Engine } from "../engine/engine.js";
import { headerlessInfo, renameHeader, writeHeader } from "../recording/header.js";
import { frame } from "../recording/ubx.js";
import { concatenate } from "../sources/concatenate.js";
import type { Headers, Output } from "./output.js";

/** Inserts the headers, which engines signal separately, between the valid frames of a recording. */
export class FrameOutput implements Output<Uint8Array> {
  readonly reads = "frames";
  readonly #serial: string | null;
  #hasHeader = false;

  /** @param serial a valid serial number for all headers; null to keep their own */
  constructor(serial: string | null) {
    this.#serial = serial;
  }

  step(engine: Engine, { payload: header }: Headers): Uint8Array[] {
    const frames = engine.frames();
    const parts: Uint8Array[] = [];
    if (frames.length > 0) {
      // a plain u-blox log has no header before its first frames
      if (!this.#hasHeader && this.#serial !== null) {
        parts.push(frame("header", writeHeader(headerlessInfo(this.#serial))));
        this.#hasHeader = true;
      }
      parts.push(frames);
    }
    if (header !== null) {
      parts.push(frame("header", this.#serial === null ? header : renameHeader(header, this.#serial)));
      this.#hasHeader = true;
    }
    return parts.length > 1 ? [concatenate(parts)] : parts;
  }

  end(): Uint8Array[] {
    return [];
  }
}
