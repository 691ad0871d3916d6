/** Number of characters in one piece, because compression takes longer for many short pieces. */
const PIECE_LENGTH = 16_384;

/**
 * Formats values as a JSON array with one value per line.
 * @param values `undefined` yields an empty text, so that the reader can stop during a long search for the next value
 */
export async function* jsonArrayOf(
  values: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string> {
  let text = "[";
  let separator = "\n";
  for await (const value of values) {
    if (value === undefined) {
      yield "";
      continue;
    }
    text += separator + JSON.stringify(value);
    separator = ",\n";
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = "";
  }
  yield separator === "\n" ? "[]\n" : `${text}\n]\n`;
}

/**
 * Formats rows as a JSON array with one row per line, read in batches.
 * @param read reads at most `batch` rows with ids above the given one, in ascending order
 * @param count called for each row
 */
export function jsonArray<Row extends { id: number }>(
  batch: number,
  read: (afterId: number, limit: number) => Promise<Row[]>,
  toJson: (row: Row) => unknown,
  count: () => void,
): AsyncGenerator<string> {
  async function* rowsInBatches(): AsyncGenerator<unknown> {
    for (let after = 0; ; ) {
      const rows = await read(after, batch);
      for (const row of rows) {
        count();
        yield toJson(row);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < batch) return;
      after = last.id;
    }
  }
  return jsonArrayOf(rowsInBatches());
}
