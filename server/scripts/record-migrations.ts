/** Records the checksums of new migrations. Fails if a recorded migration has changed. */
import { readFileSync, writeFileSync } from "node:fs";
import { migrations } from "../src/store/migrations/index.js";
import { checksumOf } from "../src/store/migrations/migration.js";

const file = new URL("../src/store/migrations/checksums.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
const changed = migrations.filter(
  (migration) => recorded[migration.name] !== undefined && recorded[migration.name] !== checksumOf(migration),
);
if (changed.length > 0) {
  const names = changed.map(({ name }) => name).join(", ");
  console.error(
    `Changed after recording: ${names}. A published migration must not change; add a further migration instead. If only your own databases have applied the changed migration, remove its line from checksums.json first.`,
  );
  process.exit(1);
}
const entries = migrations.map((migration) => [migration.name, checksumOf(migration)]);
writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
