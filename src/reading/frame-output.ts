import { headerlessInfo, renameHeader, writeHeader } from "../recording/header.js";
import { frame } from "../recording/ubx.js";
import { concatenate } from "../sources/concatenate.js";

/** Puts the headers, which engines signal separately, back between the valid frames of a recording. */
export class FrameOutput {
  readonly #serial: string | null;
  #hasHeader = false;

  /** @param serial a valid serial number for the headers; null keeps their own */
  constructor(serial: string | null) {
    this.#serial = serial;
  }

  /**
   * The output of one step.
   *
   * @param frames the valid frames of the step
   * @param header payload of the header at which the step stopped; null if it did not stop at one
   * @returns null if there is no output
   */
  take(frames: Uint8Array, header: Uint8Array | null): Uint8Array | null {
    const parts: Uint8Array[] = [];
    if (frames.length > 0) {
      // a plain log: there is no header before its first frames
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
    if (parts.length === 0) return null;
    return header === null && parts.length === 1 ? frames : concatenate(parts);
  }
}
