import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { relative } from "node:path";
import { version } from "../../../package.json";
import { readHiddenFile, replaceHiddenFile } from "../../files/hidden-file.js";
import { recipeHash } from "../../metrics/index.js";
import { SQUAD_COLUMNS } from "../../squad/index.js";
import type { SessionTask, SessionWork } from "./session-work.js";

/** Name of the cache in the folder of the recordings. Names that begin with a dot are ignored when a folder is read. */
const CACHE_NAME = ".asi-squad-cache.json";

/**
 * Version of the cached data. Data of a different version, or with different figures, are computed again.
 */
const FORM = { version: 5, figures: SQUAD_COLUMNS.map(({ key }) => key) };

/** Number of cached results, so that runs with and without an option, such as a recipe, do not replace each other *(choice)*. */
const MOST_RESULTS = 4;

interface Result {
  key: string;
  work: SessionWork;
}

/**
 * Returns the work of a session from the cache, or computes it and caches it beside the latest other results. If files,
 * options or the program have changed since an earlier run, the work is computed again.
 *
 * @throws system errors, and those of `compute`
 */
export async function cachedWork(
  task: SessionTask,
  compute: () => Promise<SessionWork>,
): Promise<SessionWork> {
  // before the files are read, so that a file that changes while it is read counts as changed in the next run
  const key = keyOf(task);
  const kept = resultsIn(task.folder).find((result) => result.key === key);
  if (kept !== undefined) return kept.work;
  const work = await compute();
  const results = [{ key, work }, ...resultsIn(task.folder)].slice(0, MOST_RESULTS);
  replaceHiddenFile(task.folder, CACHE_NAME, JSON.stringify({ results }));
  return work;
}

/** The cached results, the latest first. */
function resultsIn(folder: string): Result[] {
  try {
    const { results } = JSON.parse(readHiddenFile(folder, CACHE_NAME) ?? "{}");
    return results.filter(({ key, work }: Partial<Result>) => typeof key === "string" && work !== undefined);
  } catch {
    // the cache is missing, was edited or has a different form, so the data are recomputed
    return [];
  }
}

/**
 * All dependencies of the work. A file counts as unchanged if its size and its times are the same, a recipe if its name and hash are
 * the same. Only the system sets the time of the last change (`ctime`). Therefore a cache that came with a copied folder, whose
 * figures may be those of other recordings, is not used.
 */
function keyOf({ folder, inputs, periods, recipes: named, ...options }: SessionTask): string {
  const recipes = named.map(({ name, recipe }) => [name, recipeHash(recipe)]);
  const files = [...inputs.map(({ name }) => name), ...(periods === null ? [] : [periods])];
  const stamps = files.map((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return [relative(folder, path), stats?.size, stats?.mtimeMs, stats?.ctimeMs];
  });
  return createHash("sha256")
    .update(JSON.stringify({ version, form: FORM, options, recipes, stamps }))
    .digest("hex");
}
