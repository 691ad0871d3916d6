/** Receives a piece of CSV; the piece may be overwritten after this returns. */
export type Sink = (piece: Uint8Array) => void;

/** A program that converts a recording to the standard CSV. */
export type CsvPeer = (recording: Uint8Array, sink: Sink) => void | Promise<void>;
