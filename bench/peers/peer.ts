/** Receives a piece of CSV. The piece may be overwritten after the function returns. */
export type Sink = (piece: Uint8Array) => void;

/** Converts a recording to the standard CSV. */
export type CsvPeer = (recording: Uint8Array, sink: Sink) => void | Promise<void>;
