import pg from "pg";
import { type Connection, sampleServers } from "../placement/placement.js";
import { onServer } from "./move.js";

/** Name of the table in a migration. */
const TABLE = /\bsample_chunks\b/g;

/**
 * Applies a migration of the samples once on every server with samples, each in a separate transaction. If one fails, the
 * previous servers keep the migration, and the next call continues.
 * @throws UsageError when a server is unreachable: such a migration needs all of them
 */
export async function migrateServers(client: Connection, name: string, statement: string): Promise<void> {
  for (const { url, table } of await sampleServers(client)) {
    await onServer(url, async (remote) => {
      const applied = `obj_description(${pg.escapeLiteral(table)}::regclass, 'pg_class')`;
      await remote.query("BEGIN");
      // The comment of the table lists the migrations applied since its creation.
      await remote.query(`LOCK TABLE ${pg.escapeIdentifier(table)}`);
      const { rows } = await remote.query<{ names: string }>(`SELECT coalesce(${applied}, '') AS names`);
      const names = (rows[0]?.names ?? "").split(" ").filter((known) => known !== "");
      if (!names.includes(name)) {
        await remote.query(statement.replaceAll(TABLE, pg.escapeIdentifier(table)));
        const comment = pg.escapeLiteral([...names, name].join(" "));
        await remote.query(`COMMENT ON TABLE ${pg.escapeIdentifier(table)} IS ${comment}`);
      }
      await remote.query("COMMIT");
    });
  }
}
