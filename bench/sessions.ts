import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeRecording } from "./data.js";

/** Sizes of the inputs in bytes, and the number of rounds. */
export interface Extent {
  /** The session that the library and the fast peers read. */
  main: number;
  /** The beginning of the session, for the slow peers. */
  slice: number;
  /** Size of each hostile input, and of the valid frames for comparison. */
  hostile: number;
  /** The recording for measuring the start of the command. */
  start: number;
  rounds: number;
  processRounds: number;
}

export interface Session {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly path: string;
}

/** Returns the amount of data that is read in one reading of the session. */
export function sizeOf({ bytes, rows }: Session): { bytes: number; rows: number } {
  return { bytes: bytes.length, rows };
}

export interface Sessions {
  readonly main: Session;
  readonly slice: Session;
  readonly start: Session;
}

/** Generates all recordings and writes them to `folder`. */
export function makeSessions({ main, slice, start }: Extent, folder: string): Sessions {
  mkdirSync(folder, { recursive: true });
  const session = (name: string, size: number): Session => {
    const { bytes, rows } = makeRecording(size);
    const path = join(folder, `${name}.asi`);
    writeFileSync(path, bytes);
    return { bytes, rows, path };
  };
  return {
    main: session("main", main),
    slice: session("slice", slice),
    start: session("start", start),
  };
}
