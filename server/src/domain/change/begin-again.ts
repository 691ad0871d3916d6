import type { Queries } from "../../store/connection/database.js";
import type { UnitOfWork } from "./unit-of-work.js";

/** Thrown in a transaction to roll it back. `first` then runs outside of it, and the work of the transaction begins again. */
export class BeginAgain extends Error {
  override readonly name = "BeginAgain";
  readonly first: (queries: Queries) => Promise<void>;

  constructor(first: (queries: Queries) => Promise<void>) {
    super("The work of the transaction must begin again");
    this.first = first;
  }
}

/** Maximum number of rows that one transaction changes, because other transactions wait for it. */
const ROWS_AT_A_TIME = 1_000;

/**
 * Changes rows of which there can be thousands. If they do not fit into the transaction, statements outside of it change them first, and
 * it begins again. An interruption leaves the changes of these statements.
 * @param some changes at most `limit` rows, and returns their number
 */
export async function changeInParts(
  { queries }: Pick<UnitOfWork, "queries">,
  some: (queries: Queries, limit: number) => Promise<number>,
): Promise<void> {
  const isPart = async (on: Queries) => (await some(on, ROWS_AT_A_TIME)) === ROWS_AT_A_TIME;
  if (!(await isPart(queries))) return;
  throw new BeginAgain(async (outside) => {
    while (await isPart(outside));
  });
}
