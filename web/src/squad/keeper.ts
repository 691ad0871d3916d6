import { effect, type Signal, signal } from "@preact/signals";
import {
  closedIds,
  KEPT_INDEX,
  type KeptSquad,
  keptFolders,
  removeClosed,
  removeKept,
} from "../view/kept-squad.js";
import { oneAtATime } from "../view/latest.js";
import { signedInAs } from "../view/signed-in.js";
import { day } from "../view/times.js";
import { fileSize } from "../view/values.js";
import { claim } from "./claim.js";
import { sessionName } from "./scope-words.js";
import { stateOf } from "./session-state.js";
import type { SquadSession } from "./squad-session.js";

/** Says whether this browser stores the session. */
export interface Keeping {
  /** Whether it stores at least a part. */
  isKept: boolean;
  text: string;
}

/** The files that are already stored. */
export interface RestoredFiles extends Pick<KeptSquad, "account"> {
  /** The name of the folder, which this tab has claimed. */
  id: string;
  /** The files with their names in the folder. */
  names: ReadonlyMap<File, string>;
}

const cannotStore = () => new Error("This browser does not store files, for example in a private window.");

/** Stores the files of a session in this browser until the session is closed. The files are available after a reload. */
export class Keeper {
  readonly keeping: Signal<Keeping> = signal({ isKept: false, text: "" });
  /** The account for which the session is stored, or null if there is none. */
  readonly account: string | null;
  readonly #session: SquadSession;
  /** The name of the folder, which no other session has. */
  readonly #id: string;
  /** Names in the folder. No name is used twice, because open files rest on the stored ones. */
  readonly #stored: Map<File, string>;
  readonly #stop: () => void;
  #claimed: Promise<unknown> | null;
  #isEnded = false;

  constructor(session: SquadSession, restored: RestoredFiles | null = null) {
    this.#session = session;
    this.account = restored === null ? signedInAs.peek() : restored.account;
    this.#id = restored?.id ?? newName();
    this.#stored = new Map(restored?.names);
    this.#claimed = restored === null ? null : Promise.resolve();
    const keep = oneAtATime(() => this.#keep());
    this.#stop = effect(() => {
      // the stored state depends on these signals
      stateOf(session);
      session.files.value;
      if (!session.isReading.value && session.recordings.value.length > 0) keep();
    });
  }

  /** Removes the stored files. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#stop();
    await removeKept(this.#id);
  }

  async #keep(): Promise<void> {
    if (this.#isEnded) return;
    const files = this.#session.files.peek().map(({ file }) => file);
    let why: string | null;
    try {
      const folder = await this.#open();
      why = await reasonOf(this.#store(folder, files));
      why = (await reasonOf(this.#list(folder, files))) ?? why;
    } catch (error) {
      why = messageOf(error);
    }
    const isKept = this.#stored.size > 0;
    if (this.#isEnded || !isKept) await removeKept(this.#id);
    if (this.#isEnded) return;
    const text =
      why === null
        ? `Kept in this browser until you close the session: ${fileSize(sizeOf([...this.#stored.keys()]))}.`
        : `${isKept ? "Not everything is kept" : "Not kept"} in this browser: ${why} Keep this tab open.`;
    this.keeping.value = { isKept, text };
  }

  async #open(): Promise<FileSystemDirectoryHandle> {
    try {
      const folders = await keptFolders();
      this.#claimed ??= claim(this.#id);
      await this.#claimed;
      return await folders.getDirectoryHandle(this.#id, { create: true });
    } catch {
      throw cannotStore();
    }
  }

  /** Stores the files that are not stored, or none of them if there is not enough space. */
  async #store(folder: FileSystemDirectoryHandle, files: readonly File[]): Promise<void> {
    const missing = files.filter((file) => !this.#stored.has(file));
    const needed = sizeOf(missing);
    const free = await makeRoom(needed);
    if (needed > free) throw new Error(`It needs ${fileSize(needed)}, but only ${fileSize(free)} is free.`);
    for (const file of missing) {
      const name = newName();
      await write(folder, name, file);
      this.#stored.set(file, name);
    }
  }

  /** Lists the stored files with the state of the session, and removes all others. */
  async #list(folder: FileSystemDirectoryHandle, files: readonly File[]): Promise<void> {
    for (const file of this.#stored.keys()) if (!files.includes(file)) this.#stored.delete(file);
    if (this.#stored.size === 0) return;
    await write(folder, KEPT_INDEX, JSON.stringify(this.#index(files)));
    const listed = new Set([KEPT_INDEX, ...this.#stored.values()]);
    const names: string[] = [];
    for await (const name of folder.keys()) if (!listed.has(name)) names.push(name);
    // the browser may have removed a file
    await Promise.all(names.map((name) => folder.removeEntry(name).catch(() => undefined)));
  }

  #index(files: readonly File[]): KeptSquad {
    const session = this.#session;
    const startMs = session.interval.peek()?.startMs ?? 0;
    return {
      version: 4,
      account: this.account,
      title: `${sessionName(session)} of ${day(startMs, session.settings.zone.peek())}`,
      recordings: session.recordings.peek().filter(({ file }) => this.#stored.has(file)).length,
      // files that are not stored are the last ones, so that the state has the places of the others
      files: files.flatMap((file) => {
        const stored = this.#stored.get(file);
        return stored === undefined ? [] : { stored, name: file.name };
      }),
      state: stateOf(session),
    };
  }
}

/** Returns a name that is never used twice. Pages without TLS have no `crypto.randomUUID`. */
const newName = () => `${Date.now()} ${Math.random()}`;

const sizeOf = (files: readonly File[]) => files.reduce((sum, { size }) => sum + size, 0);

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const reasonOf = (work: Promise<void>): Promise<string | null> => work.then(() => null, messageOf);

async function freeBytes(): Promise<number> {
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  return Math.max(0, quota - usage);
}

/** Returns the size of a stored squad, bytes. */
async function keptBytes(id: string): Promise<number> {
  let bytes = 0;
  const folder = await (await keptFolders()).getDirectoryHandle(id);
  for await (const file of folder.values()) bytes += (await (file as FileSystemFileHandle).getFile()).size;
  return bytes;
}

/**
 * Removes squads that no tab shows, last used ones last, until there is enough space. Removes none if even all of them would free too little.
 * @returns the free space, bytes
 */
async function makeRoom(needed: number): Promise<number> {
  let free = await freeBytes();
  if (needed <= free) return free;
  const ids = await closedIds();
  const bytes = await Promise.all(ids.map((id) => keptBytes(id).catch(() => 0)));
  if (needed > bytes.reduce((sum, one) => sum + one, free)) return free;
  for (let id = ids.pop(); id !== undefined && needed > free; id = ids.pop()) {
    await removeClosed(id);
    free = await freeBytes();
  }
  return free;
}

async function write(folder: FileSystemDirectoryHandle, name: string, content: Blob | string): Promise<void> {
  const handle = await folder.getFileHandle(name, { create: true });
  const writable = await handle.createWritable();
  await writable.write(content);
  await writable.close();
}
