import type { Queries } from "../database.js";
import type { SqlClient } from "./sql-client.js";

/** The sample store's connection to the database, or to a transaction of it. */
export function sqlClientOf(queries: Queries): SqlClient {
  return {
    async query<R>(sql: string, params: unknown[] = []) {
      // The text is whole: the query builder would only take it apart.
      const statement = queries._.session.prepareQuery({ sql, params }, undefined, undefined, false);
      const { rows } = (await statement.execute()) as { rows: R[] };
      return { rows };
    },
  };
}
