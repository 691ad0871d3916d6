import { wordsOf } from "./problem.js";

/**
 * Applies an action to several rows, one after another. A failure does not stop the action for the next rows.
 * @param onEnd called at the end, even after failures
 * @throws Error with the names of the failed rows and the reasons
 */
export async function inTurn<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  work: (row: Row) => Promise<unknown>,
  onEnd: () => void = () => undefined,
): Promise<void> {
  const failed: string[] = [];
  for (const row of rows) {
    try {
      await work(row);
    } catch (error) {
      failed.push(`${nameOf(row)}: ${wordsOf(error)}`);
    }
  }
  onEnd();
  if (failed.length > 0) {
    const others = rows.length - failed.length;
    throw new Error(`${failed.join(" ")}${others > 0 ? ` The other ${others} are done.` : ""}`);
  }
}
