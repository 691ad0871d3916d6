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
const FORM = { version: 5, figures: SQUAD_COLUMNS.map(({ key }) => key) };

/** Number of cached results, so that runs with and without an option, such as a recipe, do not replace each other *(choice)*. */
const MOST_RESULTS = 4;

interface Result {
  key: string;
  work: SessionWork;
}

/** The cached work of a session; null if there is none, or if files, options or the program have changed since. */
export function keptWork(task: SessionTask): SessionWork | null {
  const key = keyOf(task);
  return resultsIn(task.folder).find((result) => result.key === key)?.work ?? null;
}

/** Caches the work of a session beside the latest other results. Throws system errors. */
export async function keepWork(task: SessionTask, work: SessionWork): Promise<void> {
  const key = keyOf(task);
  const others = resultsIn(task.folder).filter((result) => result.key !== key);
  const text = JSON.stringify({ results: [{ key, work }, ...others].slice(0, MOST_RESULTS) });
  await writeStream(streamOf(new TextEncoder().encode(text)), join(task.folder, CACHE_NAME), { force: true });
}

/** The cached results, the latest first. */
function resultsIn(folder: string): Result[] {
  try {
    const { results } = JSON.parse(readFileSync(join(folder, CACHE_NAME), "utf8"));
    return results.filter(({ key, work }: Partial<Result>) => typeof key === "string" && work !== undefined);
  } catch {
    // the cache is missing, was edited or has another form: the data are recomputed
    return [];
  }
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
