import { effect, type Signal, signal } from "@preact/signals";
import { KEPT_INDEX, type KeptSquad, keptFolder, removeKept } from "../view/kept-squad.js";
import { oneAtATime } from "../view/latest.js";
import { signedInAs } from "../view/signed-in.js";
import { day } from "../view/times.js";
import { fileSize } from "../view/values.js";
import { sessionName } from "./scope-words.js";
import { stateOf } from "./session-state.js";
import type { SquadSession } from "./squad-session.js";

/** Whether this browser stores the session. */
export type Keeping =
  | { name: "not yet" }
  | { name: "kept"; bytes: number }
  | { name: "impossible"; why: string };

/** Stores the files of a session in this browser until the session is closed. The files are available after a reload. */
export class Keeper {
  readonly keeping: Signal<Keeping> = signal({ name: "not yet" });
  /** The account for which the session is stored, or null if there is none. */
  readonly account: string | null;
  readonly #session: SquadSession;
  /** Names in the folder. */
  readonly #stored = new Map<File, string>();
  readonly #stop: () => void;
  #isEnded = false;
  #lastName = 0;

  /** @param restored the files that are already stored, with their names in the folder */
  constructor(
    session: SquadSession,
    restored: Omit<KeptFiles, "lost"> = { account: signedInAs.peek(), names: new Map() },
  ) {
    this.#session = session;
    this.account = restored.account;
    for (const [file, name] of restored.names) this.#stored.set(file, name);
    this.#lastName = restored.names.size;
    const keep = oneAtATime(() => this.#keep());
    let isFirst = restored.names.size === 0;
    this.#stop = effect(() => {
      // the stored state depends on these signals
      stateOf(session);
      session.files.value;
      if (session.isReading.value || session.recordings.value.length === 0) return;
      if (isFirst) removeKept().then(keep);
      else keep();
      isFirst = false;
    });
  }

  /** Removes the stored files. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#stop();
    await removeKept();
  }

  async #keep(): Promise<void> {
    if (this.#isEnded) return;
    const files = this.#session.files.peek().map(({ file }) => file);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    try {
      const folder = await keptFolder();
      if (folder === null)
        throw new Error("This browser does not store files, for example in a private window.");
      const missing = files.filter((file) => !this.#stored.has(file));
      const needed = missing.reduce((sum, { size }) => sum + size, 0);
      const { quota = 0, usage = 0 } = await navigator.storage.estimate();
      if (needed > quota - usage) {
        throw new Error(
          `It needs ${fileSize(needed)}, but only ${fileSize(Math.max(0, quota - usage))} is free.`,
        );
      }
      for (const file of missing) {
        const stored = String(++this.#lastName);
        await write(folder, stored, file);
        this.#stored.set(file, stored);
      }
      for (const [file, stored] of this.#stored) {
        if (files.includes(file)) continue;
        // the browser may have removed the file
        await folder.removeEntry(stored).catch(() => undefined);
        this.#stored.delete(file);
      }
      await write(folder, KEPT_INDEX, JSON.stringify(this.#index(files, bytes)));
      if (!this.#isEnded) this.keeping.value = { name: "kept", bytes };
    } catch (error) {
      await removeKept();
      this.#stored.clear();
      const why = error instanceof Error ? error.message : String(error);
      if (!this.#isEnded) this.keeping.value = { name: "impossible", why };
    }
    if (this.#isEnded) await removeKept();
  }

  #index(files: readonly File[], bytes: number): KeptSquad {
    const session = this.#session;
    const startMs = session.interval.peek()?.startMs ?? 0;
    return {
      version: 3,
      account: this.account,
      title: `${sessionName(session)} of ${day(startMs, session.settings.zone.peek())}`,
      recordings: session.recordings.peek().length,
      bytes,
      files: files.flatMap((file) => {
        const stored = this.#stored.get(file);
        return stored === undefined ? [] : { stored, name: file.name };
      }),
      state: stateOf(session),
    };
  }
}

async function write(folder: FileSystemDirectoryHandle, name: string, content: Blob | string): Promise<void> {
  const handle = await folder.getFileHandle(name, { create: true });
  const writable = await handle.createWritable();
  await writable.write(content);
  await writable.close();
}

/** Files of a stored session. */
export interface KeptFiles extends Pick<KeptSquad, "account"> {
  /** The stored files with their names in the folder. */
  names: ReadonlyMap<File, string>;
  /** Stored files that the browser removed or cannot read, as empty files with their names. */
  lost: ReadonlySet<File>;
}

/** Reads the stored files of the session. */
export async function keptFiles({ account, files }: KeptSquad): Promise<KeptFiles> {
  const folder = await keptFolder();
  const names = new Map<File, string>();
  const lost = new Set<File>();
  for (const { stored, name } of files) {
    const content = await contentOf(folder, stored);
    const file = new File(content === null ? [] : [content], name);
    names.set(file, stored);
    if (content === null) lost.add(file);
  }
  return { account, names, lost };
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
