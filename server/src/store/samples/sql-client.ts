import type { Queries } from "../connection/database.js";

/**
 * The part of a database connection that the sample store uses. Clients and pools of `pg`, and clients and transactions of
 * PGlite, have this interface.
 */
export interface SqlClient {
  query<R>(text: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/** A bigint column as the drivers return it: `pg` a string, PGlite a number, or a bigint beyond 2^53. */
export type SqlBigint = string | number | bigint;

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
