import { AsiError } from "../errors.js";

export type TrackFormat = "fit" | "gpx" | "tcx";

/** What reads a track of one format, piece by piece. Throws `BAD_TRACK`. */
export interface TrackParser {
  /** Null: it is not known yet. */
  readonly format: TrackFormat | null;
  push(bytes: Uint8Array): void;
  /** No more bytes come. */
  end(): void;
}

/** What is wrong with a binary track. */
export function badByte(byteOffset: number, message: string): AsiError {
  return new AsiError("BAD_TRACK", `The track cannot be read at byte ${byteOffset}: ${message}`, {
    byteOffset,
  });
}

/** What is wrong with a track that is a text. */
export function badLine(line: number, message: string): AsiError {
  return new AsiError("BAD_TRACK", `The track cannot be read at line ${line}: ${message}`, { line });
}
