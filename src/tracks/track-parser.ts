import { AsiError } from "../errors.js";

export type TrackFormat = "fit" | "gpx" | "tcx";

/** The place from which a track is unreadable. */
export interface TrackDamage {
  /** Offset of the first unreadable byte, or of the wrong checksum. */
  byteOffset: number;
  /** The last row before it, ms since 1970 UTC. */
  afterMs: number;
  /** The problem, as part of a sentence: `the file is truncated`. */
  reason: string;
}

/** Parses a track incrementally. Methods throw `BAD_TRACK`. */
export interface TrackParser {
  /** Null until it is known. */
  readonly format: TrackFormat | null;
  /** Set when rows have been read and further ones are unreadable; null otherwise. */
  readonly damage: TrackDamage | null;
  push(bytes: Uint8Array): void;
  /** Ends the input. */
  end(): void;
}

/** Returns an error in a text track. */
export function errorAtLine(line: number, message: string): AsiError {
  return new AsiError("BAD_TRACK", `The track cannot be read at line ${line}: ${message}`, { line });
}
