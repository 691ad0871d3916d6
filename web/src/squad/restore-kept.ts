import { keptFolders, readKept } from "../view/kept-squad.js";
import { claim } from "./claim.js";
import { Keeper } from "./keeper.js";
import { applyState, type SessionState } from "./session-state.js";
import type { SquadSession } from "./squad-session.js";

/**
 * Opens a stored squad in this tab. `whenRead` is fulfilled when its state is restored.
 *
 * @returns null if another tab shows the squad or has removed it
 */
export async function restoreKept(id: string, open: () => SquadSession) {
  const kept = (await claim(id)) ? await readKept(id) : null;
  if (kept === null) return null;
  const folder = await (await keptFolders()).getDirectoryHandle(id).catch(() => null);
  const names = new Map<File, string>();
  /** Files that the browser removed or cannot read, as empty files with their names. */
  const lost = new Set<File>();
  for (const { stored, name } of kept.files) {
    const content = await contentOf(folder, stored);
    const file = new File(content === null ? [] : [content], name);
    names.set(file, stored);
    if (content === null) lost.add(file);
  }
  const session = open();
  const files = [...names.keys()];
  // Apply the state also if the figures could not be computed. Otherwise it would be overwritten.
  const whenRead = session.opened
    .add(files, lost)
    .finally(() => applyState(session, kept.state as SessionState, files));
  return { session, keeper: new Keeper(session, { ...kept, names }), whenRead };
}

/** Reads a stored file. Returns null if it is missing or cannot be read. */
async function contentOf(folder: FileSystemDirectoryHandle | null, name: string): Promise<File | null> {
  try {
    const file = (await (await folder?.getFileHandle(name))?.getFile()) ?? null;
    // a handle can exist although its content is gone
    await file?.slice(0, 1).arrayBuffer();
    return file;
  } catch {
    return null;
  }
}
