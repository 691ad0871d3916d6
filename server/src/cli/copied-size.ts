import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.js";
import { requireOwnFolder } from "../store/embedded/private-folder.js";

/** Says how much a backup copies, because all requests to the embedded database wait until it is copied. */
export function printCopiedSize({ databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">): void {
  const folder = join(dataDir, "database");
  if (databaseUrl !== null || !existsSync(folder)) return;
  requireOwnFolder(dataDir);
  let bytes = 0;
  // A running service may remove a file meanwhile.
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  console.error(
    `The backup first copies the embedded database (${Math.ceil(bytes / 1e6)} MB). Requests wait meanwhile, unless the file system clones files.`,
  );
}
