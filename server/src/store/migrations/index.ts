import first from "./0001-first.js";
import type { Migration } from "./migration.js";

/**
 * All migrations in the order of application. Add a new one below, with the next free number. Its file contains SQL
 * text and imports nothing, so later changes to the code cannot change it. Then run `npm run record-migrations -w
 * server` to record its checksum in `checksums.json`; a test fails until then. Never change a recorded migration,
 * because databases have applied it. Correct it with a further migration.
 *
 * Most migrations only have `sql`. `migration.ts` describes the two other kinds: statements outside a transaction (indexes of
 * large tables) and statements that fill data in batches.
 */
export const migrations: readonly Migration[] = [{ name: "0001-first", sql: first }];
