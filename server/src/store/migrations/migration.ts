import { createHash } from "node:crypto";

/** One step from a schema version to the next. */
export type Migration = {
  name: string;
  /**
   * Statement for the sample servers in a migration of `sample_chunks`; this name refers to the table on each server.
   * It runs on the servers first, in one transaction per server. Then the migration changes the partitioned table.
   * `CREATE INDEX` in the migration applies only to the database of the service, and cannot be CONCURRENTLY or UNIQUE
   * on the partitioned table.
   */
  onSampleServers?: string;
} & (
  | {
      /** Statements that run in one transaction. Either all of them take effect, or none. */
      sql: string;
    }
  | {
      /**
       * Statements that run one by one, each outside a transaction, such as `CREATE INDEX CONCURRENTLY`. After a failure, all of
       * them run again, so each must be repeatable. A failed `CREATE INDEX CONCURRENTLY` leaves an invalid index: put `DROP INDEX
       * CONCURRENTLY IF EXISTS` before it. Both are skipped for a completed index.
       */
      outsideTransaction: readonly string[];
    }
  | {
      /**
       * A statement that changes a limited number of rows, such as `UPDATE ... WHERE id IN (SELECT ... LIMIT 1000)`. It is
       * repeated in separate transactions until it changes no row. The service of the previous release may run at the same time.
       */
      batch: string;
    }
);

/** Returns the SHA-256 of the statements of a migration in hex, which is stored in `checksums.json` and in the database. */
export function checksumOf(migration: Migration): string {
  const { name: _name, ...work } = migration;
  return createHash("sha256").update(JSON.stringify(work)).digest("hex");
}
