/** Takes a piece of CSV; the piece may be overwritten as soon as this returns. */
export type Sink = (piece: Uint8Array) => void;

/** A program that makes the standard CSV of a recording. */
export type CsvPeer = (recording: Uint8Array, sink: Sink) => void | Promise<void>;
