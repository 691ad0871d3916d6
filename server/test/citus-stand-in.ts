/**
 * Replaces Citus, which cannot be installed in tests, by an extension with the same name and the functions that the service
 * calls. It does not distribute data; it rejects tables that Citus would reject, and records distributed tables.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

const FUNCTIONS = `
  CREATE TABLE stand_in_distributed (table_name regclass PRIMARY KEY, distribution_column text, has_local_rows boolean);
  CREATE VIEW citus_tables AS SELECT table_name, 'distributed' AS citus_table_type, distribution_column FROM stand_in_distributed;
  CREATE VIEW citus_shards AS
    SELECT table_name, 'worker' || node AS nodename, 5432 AS nodeport, 8192::bigint AS shard_size
    FROM stand_in_distributed, generate_series(1, 2) AS node, generate_series(1, 16);

  CREATE FUNCTION create_distributed_table(table_name regclass, distribution_column text, distribution_type text DEFAULT 'hash',
    colocate_with text DEFAULT 'default', shard_count integer DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND table_name IN (conrelid, confrelid)) THEN
      RAISE 'foreign keys to or from a local table are not supported';
    END IF;
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = table_name) THEN
      RAISE 'triggers are not supported on distributed tables';
    END IF;
    IF EXISTS (SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attname = distribution_column
               WHERE indrelid = table_name AND indisunique AND NOT attnum = ANY (indkey)) THEN
      RAISE 'a unique index must contain the distribution column';
    END IF;
    INSERT INTO stand_in_distributed VALUES (table_name, distribution_column, true);
  END $$;

  CREATE FUNCTION truncate_local_data_after_distributing_table(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE stand_in_distributed SET has_local_rows = false WHERE table_name = relation;
    IF NOT FOUND THEN RAISE 'supplied parameter is not a distributed relation'; END IF;
  END $$;

  CREATE FUNCTION undistribute_table(relation regclass, cascade_via_foreign_keys boolean DEFAULT false) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM stand_in_distributed WHERE table_name = relation;
    IF NOT FOUND THEN RAISE 'cannot undistribute table because the table is not distributed'; END IF;
  END $$;`;

/** Installs the extension in a database as superuser. */
export async function installCitusStandIn(databaseUrl: string): Promise<void> {
  // The server runs as another user, which must be able to read the files.
  const folder = mkdtempSync(join(tmpdir(), "asi-citus-"));
  chmodSync(folder, 0o755);
  const extension = join(folder, "extension");
  mkdirSync(extension, { mode: 0o755 });
  writeFileSync(join(extension, "citus.control"), "default_version = '0'\nrelocatable = true\n");
  writeFileSync(join(extension, "citus--0.sql"), FUNCTIONS);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(`SET extension_control_path = '${folder}:$system'`);
  await client.query("CREATE EXTENSION citus");
  await client.end();
  rmSync(folder, { recursive: true });
}

/** Returns the calls recorded by the stand-in. */
export async function distributedTables(databaseUrl: string) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ name: string; column: string; local: boolean }>(
    'SELECT table_name::text AS name, distribution_column AS "column", has_local_rows AS local FROM stand_in_distributed',
  );
  await client.end();
  return rows;
}
