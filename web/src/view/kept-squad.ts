/** Summary of a squad that this browser stores. The page shows it before it loads the squad. */
export interface KeptSquad {
  version: 3;
  /** The id of the account that was signed in when the files were opened, or null if there was none. */
  account: string | null;
  /** The title, such as "Match of Sat, 16 May 2026". */
  title: string;
  recordings: number;
  bytes: number;
  /** The names in the folder, and the original file names. */
  files: readonly { stored: string; name: string }[];
  /** The user's changes, for the part that shows squads. */
  state: unknown;
}

const FOLDER = "squad";
export const KEPT_INDEX = "session.json";

/** Opens the folder in the origin private file system. Returns null if the browser does not support it or refuses storage. */
export async function keptFolder(): Promise<FileSystemDirectoryHandle | null> {
  try {
    return await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
  } catch {
    return null;
  }
}

/** Finds the stored squad without reading its recordings. Returns null if there is none. */
export async function findKept(): Promise<KeptSquad | null> {
  try {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER);
    const index = await (await folder.getFileHandle(KEPT_INDEX)).getFile();
    const kept = JSON.parse(await index.text()) as KeptSquad;
    return kept.version === 3 ? kept : null;
  } catch {
    return null;
  }
}

/** Removes the stored squad. */
export async function removeKept(): Promise<void> {
  try {
    await (await navigator.storage.getDirectory()).removeEntry(FOLDER, { recursive: true });
  } catch {
    // no squad is stored
  }
}
