import { AsiError } from "../errors.js";

export type TrackFormat = "fit" | "gpx" | "tcx";

/** The position from which a track is unreadable. */
export interface TrackDamage {
  /** Offset of the first unreadable byte, or of the wrong checksum. */
  byteOffset: number;
  /** Time of the last row before the damage, ms since 1970 UTC. */
  afterMs: number;
  /** The problem, as part of a sentence: `the file is truncated`. */
  reason: string;
}

/** Parses a track incrementally. Methods throw `BAD_TRACK`. */
export interface TrackParser {
  /** The format; null until it is known. */
  readonly format: TrackFormat | null;
  /** The damage, if rows have been read but further ones are unreadable; otherwise null. */
  readonly damage: TrackDamage | null;
  push(bytes: Uint8Array): void;
  /** Ends the input. */
  end(): void;
}

/** Returns the error for a problem in a text track. */
export function errorAtLine(line: number, message: string): AsiError {
  return new AsiError("BAD_TRACK", `The track cannot be read at line ${line}: ${message}`, { line });
}
