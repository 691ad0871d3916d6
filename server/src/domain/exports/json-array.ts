/**
 * Formats rows as a JSON array with one row per line, read in batches.
 * @param read reads at most `batch` rows with ids above the given one, in ascending order
 * @param count called for each row
 */
export async function* jsonArray<Row extends { id: number }>(
  batch: number,
  read: (afterId: number, limit: number) => Promise<Row[]>,
  toJson: (row: Row) => unknown,
  count: () => void,
): AsyncGenerator<string> {
  let separator = "[\n";
  for (let after = 0; ; ) {
    const rows = await read(after, batch);
    for (const row of rows) {
      count();
      yield separator + JSON.stringify(toJson(row));
      separator = ",\n";
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) break;
    after = last.id;
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}
