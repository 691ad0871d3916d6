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

/** Version of the cached data. If the version or the figures differ, the data are computed again. */
const FORM = { version: 12, figures: SQUAD_COLUMNS.map(({ key }) => key) };

/**
 * Maximum number of cached results *(choice)*. With several, runs with and without an option, such as a recipe, do not replace each other's
 * results.
 */
const MOST_RESULTS = 4;

interface Result {
  key: string;
  work: SessionWork;
}

/**
 * Returns the work of a session from the cache, or computes and caches it. Other recent results stay in the cache. If files, options or the
 * program have changed since an earlier run, the work is computed again.
 *
 * @throws system errors, and the errors of `compute`
 */
export async function cachedWork(
  task: SessionTask,
  compute: () => Promise<SessionWork>,
): Promise<SessionWork> {
  // computed before the files are read, so that a file that changes while it is read counts as changed in the next run
  const key = keyOf(task);
  const kept = resultsIn(task.folder).find((result) => result.key === key);
  if (kept !== undefined) return kept.work;
  const work = await compute();
  const results = [{ key, work }, ...resultsIn(task.folder)].slice(0, MOST_RESULTS);
  replaceHiddenFile(task.folder, CACHE_NAME, JSON.stringify({ results }));
  return work;
}

/** Returns the cached results, the latest first. */
function resultsIn(folder: string): Result[] {
  try {
    const { results } = JSON.parse(readHiddenFile(folder, CACHE_NAME) ?? "{}");
    return results.filter(({ key, work }: Partial<Result>) => typeof key === "string" && work !== undefined);
  } catch {
    // the cache is missing, was edited or has a different form, so everything is computed again
    return [];
  }
}

/**
 * Returns a key for everything on which the work depends. A file counts as unchanged if its size and its times are the same, a recipe if
 * its name and hash are the same. The work contains the names of the inputs as the command line gives them. One of the times is that of the last change (`ctime`), which only the system sets. A cache in a copied
 * folder is therefore not used, because its figures may be those of other recordings.
 */
function keyOf({ folder, inputs, periods, recipes: named, ...options }: SessionTask): string {
  const recipes = named.map(({ name, recipe }) => [name, recipeHash(recipe)]);
  const files = [...inputs.map(({ name }) => name), ...(periods === null ? [] : [periods])];
  const stamps = files.map((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return [relative(folder, path), stats?.size, stats?.mtimeMs, stats?.ctimeMs];
  });
  return createHash("sha256")
    .update(
      JSON.stringify({
        version,
        form: FORM,
        options,
        recipes,
        stamps,
        names: inputs.map(({ name }) => name),
      }),
    )
    .digest("hex");
}
