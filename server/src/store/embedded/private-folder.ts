import { chmodSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../config/usage-error.js";

/**
 * Makes new files and folders accessible only to this user. The setting applies to the whole process, so call this
 * function at the start.
 */
export function keepFilesPrivate(): void {
  process.umask(0o077);
}

/**
 * Creates a folder that only this user can enter, or restricts an existing folder of this user.
 * @throws UsageError when it cannot be created, or belongs to another user, who could change its files
 */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UsageError(
      `The data folder cannot be created: ${(error as Error).message}. Set DATA_DIR to another folder.`,
    );
  }
  requireOwnFolder(folder);
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/**
 * Removes the permissions of other users on everything in a folder, because the database engine may have set other modes. Skips
 * files of other users, which only they may change, and files that have vanished or are inaccessible or immutable. No other
 * user can enter the folder anyway.
 */
export function restrictToOwner(folder: string): void {
  const own = process.geteuid?.();
  for (const name of whereAllowed(() => readdirSync(folder)) ?? []) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isSymbolicLink()) continue;
    if (own !== undefined && own !== 0 && found.uid !== own) continue;
    if ((found.mode & 0o077) !== 0) whereAllowed(() => chmodSync(path, found.mode & 0o700));
    if (found.isDirectory()) restrictToOwner(path);
  }
}

/**
 * Errors to ignore. The engine may remove files, a folder may be inaccessible to its own user, and a file may be
 * immutable or mounted read-only.
 */
const NOT_ALLOWED = new Set(["ENOENT", "EACCES", "EPERM", "EROFS"]);

function whereAllowed<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (NOT_ALLOWED.has(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}

/** @throws UsageError when the path is not a folder, or belongs to another user */
export function requireOwnFolder(folder: string): void {
  const link = lstatSync(folder);
  const found = statSync(folder);
  if (!found.isDirectory()) throw new UsageError(`${folder} is not a folder. Set DATA_DIR to a folder.`);
  requireOwn(found, `The data folder ${folder}`);
  // Do not follow a link, because its owner controls the target.
  if (link.isSymbolicLink() && link.uid !== 0) requireOwn(link, `The link ${folder}`);
}

/** @throws UsageError when the path is not a socket, or belongs to another user */
export function requireOwnSocket(path: string): void {
  const found = lstatSync(path);
  if (!found.isSocket()) throw new UsageError(`${path} is not a socket; remove it.`);
  requireOwn(found, `The socket ${path}`);
}

function requireOwn({ uid }: Stats, what: string): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own) return;
  throw new UsageError(
    `${what} belongs to user ${uid}, but this process runs as user ${own}. Run it as user ${uid}, or change the owner to user ${own}.`,
  );
}
