import { mkdir, opendir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inArray } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { accounts } from "../../store/schema.js";
import type { Context } from "../change/context.js";

/** Returns the folder for emails, which is used when there is no mail server. */
const folderIn = (dataDir: string) => join(dataDir, "mail");

/** Returns the prefix of the file names of an account. */
const prefixOf = (account: number) => `account-${account}-`;

/** Writes an email to an account in the format of RFC 5322. */
export async function writeMail(
  dataDir: string,
  account: number,
  jobId: string,
  bytes: Uint8Array,
): Promise<void> {
  const folder = folderIn(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${prefixOf(account)}${jobId}.eml`);
  await writeFile(`${file}.part`, bytes, { mode: 0o600 });
  await rename(`${file}.part`, file);
}

/** Removes the emails to an account from this machine's data folder. */
export async function eraseMails(dataDir: string, id: number): Promise<void> {
  const folder = folderIn(dataDir);
  const names = (await readdir(folder).catch(orNone)) ?? [];
  for (const name of names) if (name.startsWith(prefixOf(id))) await rm(join(folder, name), { force: true });
}

/** File names of emails to an account, including partially written ones after a crash. */
const NAMED = /^account-(\d{1,15})-.*\.eml(\.part)?$/;

/** Number of files whose accounts one query looks up. */
const FILES_PER_QUERY = 1_000;

/**
 * Removes emails to accounts that no longer exist. They remain when a process ends between the
 * commit of a deletion and
 * `eraseMails`.
 * @param signal stops after the current batch
 */
export async function eraseOrphanedMails(
  { config, queries }: Pick<Context, "config" | "queries">,
  signal?: AbortSignal,
): Promise<void> {
  const folder = folderIn(config.dataDir);
  const directory = await opendir(folder).catch(orNone);
  if (directory === undefined) return;
  let batch = new Map<string, number>();
  // List the files before looking up their accounts: an account exists before the first email to
  // it.
  for await (const { name } of directory) {
    const [, id] = NAMED.exec(name) ?? [];
    if (id !== undefined) batch.set(name, Number(id));
    if (batch.size < FILES_PER_QUERY) continue;
    await removeOrphans(queries, folder, batch);
    batch = new Map();
    if (signal?.aborted) return;
  }
  await removeOrphans(queries, folder, batch);
}

async function removeOrphans(
  queries: Queries,
  folder: string,
  files: ReadonlyMap<string, number>,
): Promise<void> {
  const ids = [...new Set(files.values())];
  if (ids.length === 0) return;
  const found = await queries.select({ id: accounts.id }).from(accounts).where(inArray(accounts.id, ids));
  const existing = new Set(found.map(({ id }) => id));
  for (const [name, id] of files) {
    if (!existing.has(id)) await rm(join(folder, name), { force: true });
  }
}

/** Ignores a missing folder, because the folder does not exist before the first email. */
function orNone(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}
