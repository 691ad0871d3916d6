import type { Queries } from "../database.js";
import type { SqlClient } from "./sql-client.js";

/** The connection of the sample store to the database or to a transaction. */
export function sqlClientOf(queries: Queries): SqlClient {
  return {
    async query<R>(sql: string, params: unknown[] = []) {
      // The statement is complete, so the query builder is not needed.
      const statement = queries._.session.prepareQuery({ sql, params }, undefined, undefined, false);
      const { rows } = (await statement.execute()) as { rows: R[] };
      return { rows };
    },
  };
}
