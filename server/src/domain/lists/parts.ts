/** Number of rows in one part of a list for the operator. Lists are read in parts to limit memory. */
export const PART_ROWS = 500;

/** Part of a list. */
export interface Part<T> {
  items: T[];
  /** Id after which the next part begins; null for the last part. */
  next: number | null;
}

/** @param rows rows of the part; fewer than the maximum in the last part */
export const partOf = <Row extends { id: number }, T>(
  rows: readonly Row[],
  toItem: (row: Row) => T,
): Part<T> => ({
  items: rows.map(toItem),
  next: rows.length < PART_ROWS ? null : (rows.at(-1)?.id ?? null),
});
