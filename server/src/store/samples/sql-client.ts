/**
 * The little that the sample store asks of a database connection. PGlite's clients and transactions fit as they are,
 * and so do clients and pools of `pg`.
 */
export interface SqlClient {
  query<R>(text: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/** A bigint column as the drivers give it: `pg` a string, PGlite a number, or a bigint beyond 2^53. */
export type SqlBigint = string | number | bigint;
