/**
 * The part of a database connection that the sample store uses. Clients and pools of `pg`, and clients and transactions of
 * PGlite, have this interface.
 */
export interface SqlClient {
  query<R>(text: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/** A bigint column as the drivers return it: `pg` a string, PGlite a number, or a bigint beyond 2^53. */
export type SqlBigint = string | number | bigint;
