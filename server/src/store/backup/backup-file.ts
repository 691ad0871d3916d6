import { randomBytes } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { UsageError } from "../../config/usage-error.js";

/** Format name in the first line of a backup. */
const FORMAT = "asi-server backup 1";

export const headLine = ({ migrations, serverKeys, erasureLists }: BackupHead): string =>
  `${JSON.stringify({ format: FORMAT, migrations, server_keys: serverKeys, erasure_lists: erasureLists })}\n`;

/** Last line of a backup. */
const END = '{"end":true}';

/** Maximum size of a line. The largest possible line, a recording that waits for its job, is less than half as long. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** The backup cannot be written or restored. */
export class BackupError extends UsageError {
  override readonly name = "BackupError";
}

/** Description of the database in the first line of a backup. */
export interface BackupHead {
  /** Names of the migrations of its schema, in the order of application. */
  migrations: readonly string[];
  /** Ids of the server keys that can decrypt the secrets. */
  serverKeys: readonly string[];
  /** Names of the lists that record erasures after the backup. */
  erasureLists: readonly string[];
}

/** A line of a backup except its last. */
export type BackupLine =
  | ({ kind: "head" } & BackupHead)
  | { kind: "table"; table: string }
  | { kind: "row"; row: string }
  | { kind: "sequence"; sequence: string; lastValue: number | null };

const isSystemError = (error: unknown): error is Error => error instanceof Error && "syscall" in error;

/**
 * Writes a backup: gzipped lines of JSON, the same for both databases. The file appears when it is complete. Only its owner can
 * read it, and it never replaces a file.
 * @param lines text of complete lines, beginning with `headLine`
 * @throws BackupError when the file exists or cannot be written
 */
export async function writeBackup(file: string, lines: AsyncIterable<string>): Promise<void> {
  const taken = () => new BackupError(`The file ${file} already exists. Choose another name.`);
  if (existsSync(file)) throw taken();
  const part = join(dirname(file), `.${basename(file)}.${randomBytes(8).toString("hex")}.part`);
  try {
    const handle = await open(part, "wx", 0o600);
    try {
      await pipeline(
        Readable.from(whole(lines)),
        createGzip({ level: 4 }),
        async (bytes: AsyncIterable<Buffer>) => {
          for await (const chunk of bytes) await handle.writeFile(chunk);
        },
      );
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw taken();
    throw isSystemError(error) ? new BackupError(`The backup cannot be written: ${error.message}`) : error;
  } finally {
    await rm(part, { force: true });
  }
}

async function* whole(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield* lines;
  yield `${END}\n`;
}

/**
 * Reads a backup to its end.
 * @throws BackupError when the file is not a backup, is damaged, or is truncated
 */
export async function* readBackup(file: string): AsyncGenerator<BackupLine, void, undefined> {
  const lines = linesOf(file);
  const first = await lines.next().catch((error: unknown) => {
    if (error instanceof BackupError) throw error;
    if (isSystemError(error)) throw new BackupError(`The backup cannot be read: ${error.message}`);
    // zlib loses the data just before the damage, so the error may occur before the first line.
    throw isGzipped(error) ? unreadable(error, 0) : notABackup();
  });
  const found = headOf(first.value ?? "");
  if (found === null) throw await whyUnknown(lines);
  yield { kind: "head", ...found };
  let isEnded = false;
  let hasTable = false;
  let rows = 0;
  try {
    for await (const line of lines) {
      if (isEnded) throw new BackupError("The backup continues after its last line. Use another copy of it.");
      if (line === END) {
        isEnded = true;
        continue;
      }
      const parsed = parse(line);
      if (parsed.kind === "table") hasTable = true;
      if (parsed.kind === "row") {
        if (!hasTable)
          throw new BackupError("The backup is damaged: its first row does not belong to a table.");
        rows++;
      }
      yield parsed;
    }
  } catch (error) {
    throw unreadable(error, rows);
  }
  if (!isEnded) throw truncated(rows);
}

const notABackup = () => new BackupError("The file is not a backup of this service.");

const truncated = (rows: number) =>
  new BackupError(`The backup is truncated after ${rows} rows: it was not written or copied completely.`);

/** @returns a BackupError for an error of zlib; other errors unchanged */
function unreadable(error: unknown, rows: number): unknown {
  const code = String((error as NodeJS.ErrnoException).code);
  if (code === "Z_BUF_ERROR") return truncated(rows);
  if (!code.startsWith("Z_")) return error;
  return new BackupError(`The backup is damaged after ${rows} rows. Use another copy of it.`);
}

/**
 * Whether the file is gzipped. Compares the message, because zlib uses one code for a damaged file and for a file that is not
 * gzipped.
 */
const isGzipped = (error: unknown) => !(error instanceof Error && error.message === "incorrect header check");

/** Yields the lines of a gzipped file without line ends. Keeps one line in memory. */
async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  const source = createReadStream(file);
  const gunzip = source.pipe(createGunzip());
  source.on("error", (error) => gunzip.destroy(error));
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer) => {
    length += piece.length;
    if (length > MAX_LINE_BYTES)
      throw new BackupError("The backup is damaged: a line is longer than 256 MiB.");
    pieces.push(piece);
  };
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      add(chunk.subarray(from, end));
      yield Buffer.concat(pieces).toString("utf8");
      pieces = [];
      length = 0;
      from = end + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  if (pieces.length > 0) yield Buffer.concat(pieces).toString("utf8");
}

/** @returns null if the line is not the first line of a backup */
function headOf(line: string): BackupHead | null {
  let head: Record<string, unknown> | null = null;
  try {
    head = JSON.parse(line);
  } catch {
    return null;
  }
  const { format, migrations, server_keys: serverKeys, erasure_lists: erasureLists } = head ?? {};
  if (format !== FORMAT) return null;
  if (!areTexts(migrations) || !areTexts(serverKeys) || !areTexts(erasureLists)) return null;
  return { migrations, serverKeys, erasureLists };
}

/** Uses the checksum at the end to distinguish a backup with a damaged first line from another file. */
async function whyUnknown(lines: AsyncIterable<string>): Promise<unknown> {
  try {
    for await (const _ of lines);
  } catch (error) {
    return unreadable(error, 0);
  }
  return notABackup();
}

const areTexts = (values: unknown): values is string[] =>
  Array.isArray(values) && values.every((value) => typeof value === "string");

/** Parses a line. No row consists of only a column `table`, or of only the two columns of a sequence. */
function parse(line: string): BackupLine {
  const table = /^\{"table":"(\w+)"\}$/.exec(line)?.[1];
  if (table !== undefined) return { kind: "table", table };
  const [, sequence, value] = /^\{"sequence":"(\w+)","last_value":(\d+|null)\}$/.exec(line) ?? [];
  if (sequence === undefined) return { kind: "row", row: line };
  const lastValue = value === "null" ? null : Number(value);
  if (lastValue !== null && !Number.isSafeInteger(lastValue)) {
    throw new BackupError(
      `The backup is damaged: the value of the sequence ${sequence} is not a valid number.`,
    );
  }
  return { kind: "sequence", sequence, lastValue };
}
