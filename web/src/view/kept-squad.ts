/** Summary of a squad that this browser stores. The page shows it before it loads the squad. */
export interface KeptSquad {
  version: 4;
  /** The id of the account that was signed in when the files were opened, or null if there was none. */
  account: string | null;
  /** The title, such as "Match of Sat, 16 May 2026". */
  title: string;
  recordings: number;
  /** The names in the folder, and the original file names. */
  files: readonly { stored: string; name: string }[];
  /** The user's changes, for the part that shows squads. */
  state: unknown;
}

/** A stored squad with the name of its folder. */
export interface FoundSquad extends KeptSquad {
  id: string;
}

export const KEPT_INDEX = "session.json";

/** The folders of the squads. Other programs of the same origin have folders beside their folder. */
export const keptFolders = async () =>
  (await navigator.storage.getDirectory()).getDirectoryHandle("squad", { create: true });

/** The names of the folders, latest first. */
export async function keptIds(): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of (await keptFolders()).keys()) ids.push(id);
  return ids.sort().reverse();
}

/** The name of the lock of a squad, which the tab that shows the squad holds. */
export const lockOf = (id: string) => `squad ${id}`;

/** A tab that is closed or loaded again releases its locks within this time, ms. */
const RELEASE_MS = 1000;

/** Does work while no tab shows a squad. @throws if another tab shows it */
export const whileClosed = <Done>(id: string, work: () => Promise<Done>): Promise<Done> =>
  navigator.locks.request(lockOf(id), { signal: AbortSignal.timeout(RELEASE_MS) }, work) as Promise<Done>;

/** Reads the summary of a squad. Returns null if there is none. */
export async function readKept(id: string): Promise<FoundSquad | null> {
  try {
    const folder = await (await keptFolders()).getDirectoryHandle(id);
    const index = await (await folder.getFileHandle(KEPT_INDEX)).getFile();
    const kept = JSON.parse(await index.text()) as KeptSquad;
    return kept.version === 4 ? { ...kept, id } : null;
  } catch {
    return null;
  }
}

/** Finds the stored squads that no tab shows, latest first, without reading their recordings. */
export async function findKept(): Promise<FoundSquad[]> {
  try {
    const found = (await keptIds()).map((id) => whileClosed(id, () => readKept(id)).catch(() => null));
    return (await Promise.all(found)).filter((one) => one !== null);
  } catch {
    return [];
  }
}

/** Removes a stored squad. */
export async function removeKept(id: string): Promise<void> {
  try {
    await (await keptFolders()).removeEntry(id, { recursive: true });
  } catch {
    // the squad is not stored
  }
}
