import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The folder for mails when there is no mail server. */
const folderIn = (dataDir: string) => join(dataDir, "mail");

/** Prefix of the file names of an account. */
const prefixOf = (account: number) => `account-${account}-`;

/** File names of earlier releases, which do not contain the account. */
const UNNAMED = /^job-.*\.eml$/;

/** Writes a mail to an account in the format of RFC 5322. */
export async function writeMail(
  dataDir: string,
  account: number | undefined,
  jobId: string,
  bytes: Uint8Array,
): Promise<void> {
  const folder = folderIn(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${account === undefined ? "" : prefixOf(account)}${jobId}.eml`);
  await writeFile(`${file}.part`, bytes, { mode: 0o600 });
  await rename(`${file}.part`, file);
}

/** Removes the mails to an account from this machine's data folder. */
export async function eraseMails(
  dataDir: string,
  { id, email }: { id: number; email: string },
): Promise<void> {
  const folder = folderIn(dataDir);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  for (const name of names) {
    const file = join(folder, name);
    const isTheirs = name.startsWith(prefixOf(id)) || (UNNAMED.test(name) && (await isTo(email, file)));
    if (isTheirs) await rm(file, { force: true });
  }
}

async function isTo(email: string, file: string): Promise<boolean> {
  if (email === "") return false;
  const [head] = (await readFile(file, "utf8").catch(() => "")).split("\r\n\r\n");
  return head?.split("\r\n").includes(`To: ${email}`) ?? false;
}
