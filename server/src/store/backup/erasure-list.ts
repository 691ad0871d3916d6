import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../../config/config.js";
import { UsageError } from "../../config/usage-error.js";
import type { ErasureKind } from "../schema.js";

/**
 * The list of erased accounts outside the database: one JSON object per line. A restored backup brings back accounts that were
 * erased after the backup; the list identifies them. A separate line contains the name of the list. A backup stores the names of
 * the current lists, so that a restore can distinguish them from a list created by a start elsewhere.
 */
export interface Erasure {
  /** Hash of the account. */
  person: string;
  at: Date;
  kind: ErasureKind;
}

const KINDS: ReadonlySet<unknown> = new Set<ErasureKind>(["deleted", "erased", "erased with samples"]);

/**
 * Returns the hash that identifies an erased account: SHA-256 of its id and creation time. The id alone is not sufficient,
 * because a restored database assigns the ids used after the backup to other people.
 */
export const personHash = ({ id, createdAt }: { id: number; createdAt: Date }): string =>
  createHash("sha256").update(`asi-server account ${id} ${createdAt.getTime()}`).digest("hex");

export const erasureListOf = ({ erasureList, dataDir }: Config): string =>
  erasureList === "" ? join(dataDir, "erasures.jsonl") : erasureList;

/** Cached people of each list, valid for this size of the file. With the cache, most deletions do not read the list. */
const known = new Map<string, { size: number; people: Set<string> }>();

async function peopleOn(file: string, size: number): Promise<Set<string>> {
  const read = known.get(file);
  if (read?.size === size) return read.people;
  return new Set((await readErasures(file)).map(({ person }) => person));
}

/**
 * Appends entries and waits until they are on the disk. Skips people who are on the list. Terminates a line truncated by a crash.
 * @throws UsageError when the file cannot be written
 */
export async function appendErasures(file: string, entries: readonly Erasure[]): Promise<void> {
  if (entries.length === 0) return;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // Append once with O_APPEND, because several processes may append.
    const handle = await open(file, constants.O_APPEND | constants.O_CREAT | constants.O_RDWR, 0o600);
    try {
      const { size } = await handle.stat();
      const people = await peopleOn(file, size);
      const missing = new Map<string, Erasure>();
      for (const entry of entries) if (!people.has(entry.person)) missing.set(entry.person, entry);
      if (missing.size === 0) return;
      const lines = [...missing.values()].map(
        ({ person, at, kind }) => `${JSON.stringify({ person, at, kind })}\n`,
      );
      const length = await appendLines(handle, size, lines);
      for (const person of missing.keys()) people.add(person);
      known.set(file, { size: size + length, people });
      if (size === 0) await syncFolder(dirname(file));
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw cannotBeWritten(error);
  }
}

export const appendErasure = (file: string, entry: Erasure): Promise<void> => appendErasures(file, [entry]);

/** Appends lines in one write, after terminating a line truncated by a crash. @returns number of bytes */
async function appendLines(handle: FileHandle, size: number, lines: readonly string[]): Promise<number> {
  const last = Buffer.alloc(1);
  if (size > 0) await handle.read(last, 0, 1, size - 1);
  const isCut = size > 0 && last[0] !== 0x0a;
  const text = `${isCut ? "\n" : ""}${lines.join("")}`;
  // `appendFile` writes everything or throws; `write` may write less.
  await handle.appendFile(text);
  await handle.sync();
  return text.length;
}

/**
 * Creates an empty list if none exists, and names a list without a name. An empty list proves that no one was erased since its
 * creation; a missing list does not.
 * @returns whether the list was missing
 * @throws UsageError when the file cannot be read or written, or is not a list of erasures
 */
export async function makeErasureList(file: string): Promise<boolean> {
  if ((await erasureListNames(file)).length > 0) return false;
  // Throws if the file is not a list.
  await readErasures(file);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, constants.O_APPEND | constants.O_CREAT | constants.O_RDWR, 0o600);
    try {
      const { size } = await handle.stat();
      await appendLines(handle, size, [`${JSON.stringify({ list: randomUUID() })}\n`]);
      if (size === 0) await syncFolder(dirname(file));
      return size === 0;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw cannotBeWritten(error);
  }
}

/**
 * Returns the names of a list. It has several names if two processes created it concurrently, or if the operator joined
 * lists.
 * @returns no names if the file does not exist or was created by an earlier release
 * @throws UsageError when the file cannot be read
 */
export async function erasureListNames(file: string): Promise<string[]> {
  return (await linesOf(file)).flatMap((line) => nameIn(line) ?? []);
}

const cannotBeWritten = (error: unknown): unknown =>
  isSystemError(error)
    ? new UsageError(
        `The list of erasures cannot be written: ${error.message}. Correct ERASURE_LIST or the permissions of the file.`,
      )
    : error;

/** Makes the name of a new file durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Reads the list. Skips lines truncated by a crash.
 * @returns no entries if the file does not exist
 * @throws UsageError when the file cannot be read, or is not a list of erasures
 */
export async function readErasures(file: string): Promise<Erasure[]> {
  const lines = await linesOf(file);
  const erasures = lines.flatMap((line) => erasureIn(line) ?? []);
  if (lines.length > 1 && erasures.length === 0 && !lines.some((line) => nameIn(line) !== undefined)) {
    throw new UsageError(`The file ${file} is not a list of erasures. Correct ERASURE_LIST.`);
  }
  return erasures;
}

/** @returns no lines if the file does not exist */
async function linesOf(file: string): Promise<string[]> {
  try {
    return (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new UsageError(`The list of erasures cannot be read: ${error.message}.`);
  }
}

/** Returns the members of a line; none if a crash has truncated it. */
function membersOf(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function erasureIn(line: string): Erasure | undefined {
  const { person, at, kind } = membersOf(line);
  const instant = new Date(String(at));
  if (typeof person !== "string" || Number.isNaN(instant.getTime()) || !KINDS.has(kind)) return undefined;
  return { person, at: instant, kind: kind as ErasureKind };
}

function nameIn(line: string): string | undefined {
  const { list } = membersOf(line);
  return typeof list === "string" ? list : undefined;
}

const isSystemError = (error: unknown): error is Error => error instanceof Error && "syscall" in error;
