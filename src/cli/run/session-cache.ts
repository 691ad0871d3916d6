import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { version } from "../../../package.json";
import { writeStream } from "../../files/write-stream.js";
import { recipeHash } from "../../metrics/index.js";
import { SQUAD_COLUMNS } from "../../squad/index.js";
import { streamOf } from "../batch/output.js";
import type { SessionTask, SessionWork } from "./session-work.js";

/** Name of the cache in the folder of the recordings. Names that begin with a dot are ignored when a folder is read. */
const CACHE_NAME = ".asi-squad-cache.json";

/**
 * Version of the cached data; those of another version are computed again. Cached data with other figures are also computed
 * again.
 */
const FORM = { version: 4, figures: SQUAD_COLUMNS.map(({ key }) => key) };

/** The cached work of a session; null if there is none, or if files, options or the program have changed since. */
export function keptWork(task: SessionTask): SessionWork | null {
  try {
    const kept = JSON.parse(readFileSync(join(task.folder, CACHE_NAME), "utf8"));
    return kept.key === keyOf(task) ? kept.work : null;
  } catch {
    // the cache is missing or was edited: the data are recomputed
    return null;
  }
}

/** Caches the work of a session. Throws system errors. */
export async function keepWork(task: SessionTask, work: SessionWork): Promise<void> {
  const text = JSON.stringify({ key: keyOf(task), work });
  await writeStream(streamOf(new TextEncoder().encode(text)), join(task.folder, CACHE_NAME), { force: true });
}

/**
 * All dependencies of the work. A file counts as unchanged if its size and its modification time are, a recipe if its name and its
 * hash are.
 */
function keyOf({ folder, inputs, periods, recipes: named, ...options }: SessionTask): string {
  const recipes = named.map(({ name, recipe }) => [name, recipeHash(recipe)]);
  const files = [...inputs.map(({ name }) => name), ...(periods === null ? [] : [periods])];
  const stamps = files.map((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return [relative(folder, path), stats?.size, stats?.mtimeMs];
  });
  return createHash("sha256")
    .update(JSON.stringify({ version, form: FORM, options, recipes, stamps }))
    .digest("hex");
}
