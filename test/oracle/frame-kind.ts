import type { Report } from "../../src/types.js";
import type { Frame } from "./frame-search.js";

export type FrameKind = keyof Report["frames"];

/**
 * What a frame is, by class, id and length (recording format, "Frames").
 * A frame that is too short for its fields, or does not fit its own count, is unknown. A header is a header whatever
 * its length: one of a wrong length is an error of the recording, which the caller tells.
 */
export function frameKind({ classId, payload }: Frame): FrameKind {
  const { length } = payload;
  switch (classId) {
    case 0xa500:
      return "header";
    case 0x0107:
      return length >= 84 ? "gnss" : "unknown";
    case 0xa501:
      return length >= 12 && length === 12 + 2 * fields(payload).getUint8(10) ? "ecgHr" : "unknown";
    case 0xa502:
      return length >= 16 && length === 16 + 2 * fields(payload).getUint16(12, true) ? "ecgRaw" : "unknown";
    default:
      return "unknown";
  }
}

/** The payload as a view from which integers are read. */
export function fields(payload: Uint8Array): DataView {
  return new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
}
