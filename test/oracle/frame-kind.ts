import type { Report } from "../../src/types.js";
import type { Frame } from "./frame-search.js";

export type FrameKind = keyof Report["frames"];

/**
 * Determines the type of a frame by class, id and length (recording format, "Frames").
 * A frame that is too short for its fields, or contradicts its own count, is unknown. A header is recognized with any
 * length: a wrong length is an error of the recording, which the caller reports.
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

/** A view of the payload for reading integers. */
export function fields(payload: Uint8Array): DataView {
  return new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
}
