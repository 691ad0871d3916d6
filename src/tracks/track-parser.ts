import { AsiError } from "../errors.js";

export type TrackFormat = "fit" | "gpx" | "tcx";

/** Parses a track incrementally. Methods throw `BAD_TRACK`. */
export interface TrackParser {
  /** Null until it is known. */
  readonly format: TrackFormat | null;
  push(bytes: Uint8Array): void;
  /** Ends the input. */
  end(): void;
}

/** An error in a binary track. */
export function errorAtByte(byteOffset: number, message: string): AsiError {
  return new AsiError("BAD_TRACK", `The track cannot be read at byte ${byteOffset}: ${message}`, {
    byteOffset,
  });
}

/** An error in a text track. */
export function errorAtLine(line: number, message: string): AsiError {
  return new AsiError("BAD_TRACK", `The track cannot be read at line ${line}: ${message}`, { line });
}
