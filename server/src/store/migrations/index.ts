import first from "./0001-first.js";
import type { Migration } from "./migration.js";

/**
 * All migrations in the order in which they are applied. A new one is added below, with the next free number. Its file
 * holds SQL text and imports nothing, so that later changes of the code cannot change it. Then
 * `npm run record-migrations -w server` records its checksum in `checksums.json`; a test fails until that is done.
 * A recorded migration never changes: databases have applied it. What it got wrong, a further one puts right.
 *
 * `sql` serves nearly always. `../migration.ts` describes the two other kinds: statements outside of a transaction
 * (indexes of large tables) and statements that fill data in batches.
 */
export const migrations: readonly Migration[] = [{ name: "0001-first", sql: first }];
