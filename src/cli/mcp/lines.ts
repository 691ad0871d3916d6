/** The limit protects memory; a request has a few kB. */
const MAX_LINE_BYTES = 1_000_000;

/** Yields the non-empty lines of a byte stream. Truncates lines that are too long, which limits memory and makes them invalid JSON. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const add = (piece: Uint8Array) => {
    const room = Math.max(0, MAX_LINE_BYTES - bytes);
    if (room > 0 && piece.length > 0) pieces.push(piece.slice(0, room));
    bytes += Math.min(room, piece.length);
  };
  const take = () => {
    const line = Buffer.concat(pieces).toString("utf8").trim();
    pieces = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end));
      const line = take();
      if (line !== "") yield line;
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  const last = take();
  if (last !== "") yield last;
}
