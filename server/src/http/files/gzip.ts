import { pipeline, type Readable, Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import { AsiError } from "asi-convert";

/** The first two bytes and the only compression method of a gzip file (RFC 1952). No recording begins with them. */
const MAGIC = [0x1f, 0x8b, 0x08];

/** Output size of one step of the decompression, which runs in a thread of the pool. */
const PIECE_BYTES = 64 * 1024;

/** Whether the bytes begin like a gzip file. */
export const isGzip = (bytes: Uint8Array): boolean => MAGIC.every((byte, i) => bytes[i] === byte);

/**
 * Returns a file unchanged, or decompressed if it is a gzip file. A few bytes can expand to any number, so more than
 * `maxBytes` are an error, and memory contains at most one piece.
 * @param tooLarge error for more bytes
 * @returns a stream with the errors of `file`, and with an error for `asLibraryError` if the file is damaged
 */
export async function unpacked(file: Readable, maxBytes: number, tooLarge: () => Error): Promise<Readable> {
  return isGzip(await firstBytes(file)) ? unpackedGzip(file, maxBytes, tooLarge) : file;
}

/** Returns the content of a gzip file, like `unpacked`. */
export function unpackedGzip(file: Readable, maxBytes: number, tooLarge: () => Error): Readable {
  let bytes = 0;
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  const limited = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(tooLarge());
      else done(null, chunk);
    },
  });
  // Errors arrive where `limited` is read.
  return pipeline(file, gunzip, limited, () => undefined);
}

/** Converts an error of zlib to the `AsiError` `BAD_GZIP`, and returns other errors unchanged. */
export function asLibraryError(error: unknown): unknown {
  const isOfZlib = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
  if (!isOfZlib) return error;
  return new AsiError("BAD_GZIP", "The gzip data is damaged or truncated.", { cause: error });
}

/**
 * Peeks at the first bytes of a stream: the length of the magic number, or fewer if the stream ends earlier. Uses a single
 * listener, because a listener added while a byte is buffered is called immediately, and adding one repeatedly would block the
 * event loop while the client sends no more.
 */
function firstBytes(file: Readable): Promise<Uint8Array> {
  return new Promise((resolve) => {
    const events = ["readable", "end", "error", "close"] as const;
    const read = () => {
      const first: Buffer | null = file.destroyed ? null : file.read(MAGIC.length);
      if (first === null && !file.readableEnded && !file.destroyed) return;
      for (const event of events) file.off(event, read);
      if (first !== null) file.unshift(first);
      resolve(first ?? new Uint8Array());
    };
    for (const event of events) file.on(event, read);
    if (file.readableEnded || file.destroyed) read();
  });
}
