/** Rows of one part of a list for the operator. Lists of any length are read in parts, in bounded memory. */
export const PART_ROWS = 500;

/** One part of a list. */
export interface Part<T> {
  items: T[];
  /** The id after which the next part begins; null when this is the last part. */
  next: number | null;
}

/** @param rows as many as a part has, unless it is the last one */
export const partOf = <Row extends { id: number }, T>(
  rows: readonly Row[],
  toItem: (row: Row) => T,
): Part<T> => ({
  items: rows.map(toItem),
  next: rows.length < PART_ROWS ? null : (rows.at(-1)?.id ?? null),
});
