import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../../config/config.js";
import { UsageError } from "../../config/usage-error.js";
import type { ErasureKind } from "../schema.js";

/**
 * The list of erased accounts outside of the database: one JSON object in each line. A restored backup contains the
 * accounts again that were erased after it was written; the list says which they are.
 */
export interface Erasure {
  /** Hash of the account. */
  person: string;
  at: Date;
  kind: ErasureKind;
}

const KINDS: ReadonlySet<unknown> = new Set<ErasureKind>(["deleted", "erased", "erased with samples"]);

/**
 * The hash by which an erased account is recognised: SHA-256 of its id and of the time when it was created. The id alone
 * is not enough, because a restored database gives the ids that were assigned after the backup to other people.
 */
export const personHash = ({ id, createdAt }: { id: number; createdAt: Date }): string =>
  createHash("sha256").update(`asi-server account ${id} ${createdAt.getTime()}`).digest("hex");

export const erasureListOf = ({ erasureList, dataDir }: Config): string =>
  erasureList === "" ? join(dataDir, "erasures.jsonl") : erasureList;

/** The people on a list when it had this size, so that not every deletion reads the list. */
const known = new Map<string, { size: number; people: Set<string> }>();

async function peopleOn(file: string, size: number): Promise<Set<string>> {
  const read = known.get(file);
  if (read?.size === size) return read.people;
  return new Set((await readErasures(file)).map(({ person }) => person));
}

/**
 * Appends entries and waits until they are on the disk; a person who is on the list already is not added again. A line that a
 * crash has cut short ends with the next append.
 * @throws UsageError when the file cannot be written
 */
export async function appendErasures(file: string, entries: readonly Erasure[]): Promise<void> {
  if (entries.length === 0) return;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // One append with O_APPEND: several processes may append.
    const handle = await open(file, constants.O_APPEND | constants.O_CREAT | constants.O_RDWR, 0o600);
    try {
      const { size } = await handle.stat();
      const people = await peopleOn(file, size);
      const missing = new Map<string, Erasure>();
      for (const entry of entries) if (!people.has(entry.person)) missing.set(entry.person, entry);
      if (missing.size === 0) return;
      const last = Buffer.alloc(1);
      if (size > 0) await handle.read(last, 0, 1, size - 1);
      const isCut = size > 0 && last[0] !== 0x0a;
      const lines = [...missing.values()].map(
        ({ person, at, kind }) => `${JSON.stringify({ person, at, kind })}\n`,
      );
      const text = `${isCut ? "\n" : ""}${lines.join("")}`;
      // Writes all or throws; `write` may write less.
      await handle.appendFile(text);
      await handle.sync();
      for (const person of missing.keys()) people.add(person);
      known.set(file, { size: size + text.length, people });
      if (size === 0) await syncFolder(dirname(file));
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw cannotBeWritten(error);
  }
}

export const appendErasure = (file: string, entry: Erasure): Promise<void> => appendErasures(file, [entry]);

/**
 * Makes an empty list when there is none: a list without entries tells that nobody was erased since, and a missing one tells nothing.
 * @throws UsageError when the file cannot be written
 */
export async function makeErasureList(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await (await open(file, constants.O_APPEND | constants.O_CREAT | constants.O_RDWR, 0o600)).close();
  } catch (error) {
    throw cannotBeWritten(error);
  }
}

const cannotBeWritten = (error: unknown): unknown =>
  isSystemError(error)
    ? new UsageError(
        `The list of erasures cannot be written: ${error.message}. Correct ERASURE_LIST or the permissions of the file.`,
      )
    : error;

/** Makes a new file's name durable too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Reads the list. Lines that a crash has cut short are skipped.
 * @returns no entries when there is no file
 * @throws UsageError when the file cannot be read, or is something else
 */
export async function readErasures(file: string): Promise<Erasure[]> {
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new UsageError(`The list of erasures cannot be read: ${error.message}.`);
  }
  const lines = content.split("\n").filter((line) => line !== "");
  const erasures = lines.flatMap((line) => parse(line) ?? []);
  if (lines.length > 1 && erasures.length === 0) {
    throw new UsageError(`The file ${file} is not a list of erasures. Correct ERASURE_LIST.`);
  }
  return erasures;
}

function parse(line: string): Erasure | undefined {
  try {
    const { person, at, kind } = JSON.parse(line) as Record<string, unknown>;
    const instant = new Date(String(at));
    if (typeof person !== "string" || Number.isNaN(instant.getTime()) || !KINDS.has(kind)) return undefined;
    return { person, at: instant, kind: kind as ErasureKind };
  } catch {
    return undefined;
  }
}

const isSystemError = (error: unknown): error is Error => error instanceof Error && "syscall" in error;
