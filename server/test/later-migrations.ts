import type { Migration } from "../src/store/migrations/migration.js";

/**
 * Migrations that a later release could have. They add columns with a default or with values from the row, fill a table, run in
 * batches, and create an index.
 */
export const LATER: readonly Migration[] = [
  {
    name: "9001-level",
    sql: `ALTER TABLE accounts ADD COLUMN level integer NOT NULL DEFAULT 3;
      ALTER TABLE accounts ADD COLUMN shown_name text;
      UPDATE accounts SET shown_name = upper(username);
      ALTER TABLE accounts ALTER COLUMN shown_name SET NOT NULL;
      CREATE TABLE badges (id bigserial PRIMARY KEY, account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE);
      INSERT INTO badges (account_id) SELECT id FROM accounts ORDER BY id`,
  },
  {
    name: "9002-mark",
    batch:
      "UPDATE devices SET device_type = device_type || ' (old)' WHERE id IN (SELECT id FROM devices WHERE device_type NOT LIKE '% (old)' LIMIT 1)",
  },
  {
    name: "9003-index",
    outsideTransaction: [
      "DROP INDEX CONCURRENTLY IF EXISTS accounts_level",
      "CREATE INDEX CONCURRENTLY accounts_level ON accounts (level)",
    ],
  },
];
