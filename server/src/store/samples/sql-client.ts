import type { Queries } from "../connection/database.js";

/**
 * Part of a database connection used by the sample store. Clients and pools of `pg`, and clients and transactions of PGlite,
 * implement it.
 */
export interface SqlClient {
  query<R>(text: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/** A bigint column as returned by the drivers: `pg` returns a string, PGlite a number, or a bigint beyond 2^53. */
export type SqlBigint = string | number | bigint;

/** Returns a connection of the sample store to the database or to a transaction. */
export function sqlClientOf(queries: Queries): SqlClient {
  return {
    async query<R>(sql: string, params: unknown[] = []) {
      // Bypass the query builder, because the statement is complete.
      const statement = queries._.session.prepareQuery({ sql, params }, undefined, undefined, false);
      const { rows } = (await statement.execute()) as { rows: R[] };
      return { rows };
    },
  };
}
