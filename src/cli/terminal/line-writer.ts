const LINES_PER_PIECE = 4096;

/** Writes a line of text for each item of each batch. */
export interface LineWriter<B> {
  /** @returns pieces of the text, which belong to the caller */
  batch(batch: B): Iterable<Uint8Array>;
  /** Ends the text. */
  end(): Iterable<Uint8Array>;
}

/**
 * Creates a writer that writes the lines of each batch immediately.
 *
 * @param header the first line; empty if there is none
 */
export function lineWriter<B extends { length: number }>(
  header: string,
  line: (batch: B, index: number) => string,
): LineWriter<B> {
  const encoder = new TextEncoder();
  let text = header;
  return {
    *batch(batch) {
      for (let from = 0; from < batch.length; from += LINES_PER_PIECE) {
        const to = Math.min(from + LINES_PER_PIECE, batch.length);
        for (let i = from; i < to; i++) text += line(batch, i);
        yield encoder.encode(text);
        text = "";
      }
    },
    *end() {
      if (text !== "") yield encoder.encode(text);
    },
  };
}

/**
 * Creates a writer that writes all lines after the last batch, because each line depends on all items.
 *
 * @param lineFor receives all batches, and returns the function that writes a line
 */
export function wholeWriter<B extends { length: number }>(
  header: string,
  lineFor: (all: readonly B[]) => (batch: B, index: number) => string,
): LineWriter<B> {
  const all: B[] = [];
  return {
    batch(batch) {
      all.push(batch);
      return [];
    },
    *end() {
      const writer = lineWriter(header, lineFor(all));
      for (const batch of all) yield* writer.batch(batch);
      yield* writer.end();
    },
  };
}

/** Formats milliseconds as seconds with three decimals. */
export function seconds(ms = 0): string {
  return (Math.round(ms) / 1000).toFixed(3);
}
