import { type SQL, sql } from "drizzle-orm";
import type { Queries } from "../database.js";
import type { SqlClient } from "./sql-client.js";

/** The sample store's connection to the database, or to a transaction of it. */
export function sqlClientOf(queries: Queries): SqlClient {
  return {
    async query<R>(text: string, params: unknown[] = []) {
      const { rows } = await queries.execute(withParams(text, params));
      return { rows: rows as R[] };
    },
  };
}

/** Statement text with `$1`, `$2` ... as the query builder wants it. */
function withParams(text: string, params: readonly unknown[]): SQL {
  const parts = text
    .split(/\$(\d+)/)
    .map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${sql.param(params[Number(part) - 1])}`));
  return sql.join(parts);
}
