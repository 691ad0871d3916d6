import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeRecording } from "./data.js";

/** How much is read and how often. All sizes in bytes. */
export interface Extent {
  /** The session that our own cases and the fast peers read. */
  main: number;
  /** The beginning of it, for the slow peers. */
  slice: number;
  /** Each hostile input, and good frames beside them. */
  hostile: number;
  /** The recording of the start-up case. */
  start: number;
  rounds: number;
  processRounds: number;
}

export interface Session {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly path: string;
}

/** How much a case reads that reads the session once. */
export function sizeOf({ bytes, rows }: Session): { bytes: number; rows: number } {
  return { bytes: bytes.length, rows };
}

export interface Sessions {
  readonly main: Session;
  readonly slice: Session;
  readonly start: Session;
}

/** Makes all recordings and writes them into `folder`. */
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
