import type pg from "pg";
import { isUnavailable } from "./database-errors.js";

/** Identifies a database; equal on a primary and its replicas. */
const IDENTITY =
  "SELECT system_identifier::text || ' ' || current_database() AS identity FROM pg_control_system()";

/** @returns undefined if the provider does not permit the query */
async function identityOf(pool: pg.Pool): Promise<string | undefined> {
  try {
    return (await pool.query<{ identity: string }>(IDENTITY)).rows[0]?.identity;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return undefined;
  }
}

/** Whether both pools connect to the same database, possibly on a primary and its replica; true if unknown. */
export async function areOneDatabase(one: pg.Pool, other: pg.Pool): Promise<boolean> {
  const [a, b] = await Promise.all([identityOf(one), identityOf(other)]);
  return a === undefined || b === undefined || a === b;
}
