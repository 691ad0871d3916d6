import { createHash } from "node:crypto";

/** One step from a schema version to the next. */
export type Migration = {
  name: string;
  /**
   * What a migration of `sample_chunks` changes where its rows are on other servers: a statement on `sample_chunks`, which
   * stands for the table on each of them. It runs there first, in a transaction for each server, and the migration itself
   * then changes the partitioned table. Once it has run on a server, it does not run there again. `CREATE INDEX` of the
   * migration is for the database of the service only, and cannot be CONCURRENTLY or UNIQUE on the partitioned table.
   */
  onSampleServers?: string;
} & (
  | {
      /** Statements that run in one transaction: either all of them take effect or none. */
      sql: string;
    }
  | {
      /**
       * Statements that run one by one, each outside of a transaction, such as `CREATE INDEX CONCURRENTLY`. After a
       * failure all of them run again, so each must be repeatable. A failed `CREATE INDEX CONCURRENTLY` leaves an invalid
       * index behind: let `DROP INDEX CONCURRENTLY IF EXISTS` precede it. Both are skipped for an index that is finished.
       */
      outsideTransaction: readonly string[];
    }
  | {
      /**
       * A statement that changes a bounded number of rows, such as `UPDATE ... WHERE id IN (SELECT ... LIMIT 1000)`. It is
       * repeated in separate transactions until it changes no row. The service of the previous release may run meanwhile.
       */
      batch: string;
    }
);

/** SHA-256 of the statements of a migration, in hex. It is stored in `checksums.json` and in the database. */
export function checksumOf(migration: Migration): string {
  const { name: _name, ...work } = migration;
  return createHash("sha256").update(JSON.stringify(work)).digest("hex");
}
