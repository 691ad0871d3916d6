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

/** The number of squads that stay while no tab shows them. */
const MOST_CLOSED = 5;

/** The key under which a tab remembers its squad. */
const OWN = "asi-squad";

/** Remembers the squad of this tab, which is offered first when the tab is loaded again. */
export const rememberOwn = (id: string) => sessionStorage.setItem(OWN, id);

/** A tab that is closed or loaded again releases its locks within this time, ms. */
const RELEASE_MS = 1000;

/** Does work while no tab shows a squad. The tab that shows it holds its lock. @throws if another tab shows it */
export const whileClosed = <Done>(id: string, work: () => Promise<Done>): Promise<Done> =>
  navigator.locks.request(`squad ${id}`, { signal: AbortSignal.timeout(RELEASE_MS) }, work) as Promise<Done>;

const indexOf = async (id: string) =>
  (await (await (await keptFolders()).getDirectoryHandle(id)).getFileHandle(KEPT_INDEX)).getFile();

/** Reads the summary of a squad. Returns null if there is none. */
export async function readKept(id: string): Promise<FoundSquad | null> {
  try {
    const kept = JSON.parse(await (await indexOf(id)).text()) as KeptSquad;
    return kept.version === 4 ? { ...kept, id } : null;
  } catch {
    return null;
  }
}

/** The names of the folders of the squads that no tab shows: first that of this tab, then those that were used last. */
export async function closedIds(): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of (await keptFolders()).keys()) ids.push(id);
  const own = sessionStorage.getItem(OWN);
  // a squad is written when it is shown and when it changes; one without a summary was never completely stored
  const usedMs = async (id: string) =>
    id === own
      ? Number.POSITIVE_INFINITY
      : indexOf(id).then(
          ({ lastModified }) => lastModified,
          () => 0,
        );
  const found = ids.map((id) =>
    whileClosed(id, async () => ({ id, usedMs: await usedMs(id) })).catch(() => null),
  );
  return (await Promise.all(found))
    .filter((one) => one !== null)
    .sort((a, b) => b.usedMs - a.usedMs)
    .map(({ id }) => id);
}

/** Finds the squads that no tab shows, in the order of `closedIds`, without reading their recordings. Removes those that are too many. */
export async function findKept(): Promise<FoundSquad[]> {
  try {
    const ids = await closedIds();
    await Promise.all(ids.splice(MOST_CLOSED).map(removeClosed));
    return (await Promise.all(ids.map(readKept))).filter((one) => one !== null);
  } catch {
    return [];
  }
}

/** Removes a stored squad unless another tab shows it. */
export const removeClosed = (id: string): Promise<void> =>
  whileClosed(id, () => removeKept(id)).catch(() => undefined);

/** Removes a stored squad. */
export async function removeKept(id: string): Promise<void> {
  try {
    await (await keptFolders()).removeEntry(id, { recursive: true });
  } catch {
    // the squad is not stored
  }
}
