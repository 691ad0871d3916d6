import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join, parse, sep } from "node:path";
import { openFile, openStandardInput } from "../../files/read-file.js";
import type { ChunkSource } from "../../sources/source.js";
import { printable } from "../terminal/printable.js";
import { DescribedError } from "../terminal/problem.js";
import { UsageError } from "../terminal/usage-error.js";
import { expandBraces, isPattern, MAX_EXPANSIONS, nameMatcher, unescaped } from "./glob.js";

/** An input for a command. */
export type Input =
  | { kind: "file"; name: string; path: string; bytes: number }
  | { kind: "standardInput"; name: "-" }
  /** an input that was named but is unavailable */
  | { kind: "missing"; name: string; error: unknown };

const RECORDING = /\.asi(?:\.gz)?$/i;
const RECORDING_OR_LOG = /\.(?:asi|ubx)(?:\.gz)?$/i;

/**
 * Finds the inputs that the arguments name, in their order, each file once. `-` is the standard input. A folder means the `*.asi` and
 * `*.asi.gz` files in it and in its subfolders, sorted by name. An argument that is neither a file nor a folder is a pattern (see glob.ts).
 * In folders, names that begin with a dot are ignored, and links to folders are not followed.
 *
 * @param flags with a serial number, plain logs can be read, so a folder includes its `*.ubx` files
 * @throws UsageError when the standard input is named twice
 */
export function findInputs(args: readonly string[], flags: { serial?: string } = {}): Input[] {
  if (args.filter((arg) => arg === "-").length > 1)
    throw new UsageError("Name standard input (-) only once.");
  const seen = new Set<string>();
  return args
    .flatMap((arg): Input[] =>
      isStandardInput(arg)
        ? [{ kind: "standardInput", name: "-" }]
        : inputsOf(arg, flags.serial !== undefined),
    )
    .filter((input) => {
      if (input.kind !== "file") return true;
      const real = realpathSync(input.path);
      return !seen.has(real) && seen.add(real);
    });
}

/** Returns the name of an input for messages and tables: a single line without characters that affect terminals. */
export function nameOf(input: Input): string {
  return input.kind === "standardInput" ? "standard input" : printable(input.name);
}

/** Opens an input as a source of bytes. Throws the reason why it is missing, or system errors. */
export function openInput(input: Input, onProgress?: (bytesRead: number) => void): ChunkSource {
  switch (input.kind) {
    case "file":
      return openFile(input.path, { onProgress });
    case "standardInput":
      return openStandardInput({ onProgress });
    case "missing":
      throw input.error;
  }
}

function isStandardInput(arg: string): boolean {
  return arg === "-" || arg === "/dev/stdin";
}

function inputsOf(arg: string, takesLogs: boolean): Input[] {
  try {
    const stats = statSync(arg, { throwIfNoEntry: false });
    if (stats === undefined) return matchesOf(arg, takesLogs);
    return stats.isDirectory() ? recordingsBelow(arg, takesLogs) : [fileInput(arg)];
  } catch (error) {
    return [{ kind: "missing", name: arg, error }];
  }
}

function fileInput(path: string): Input {
  return { kind: "file", name: path, path, bytes: statSync(path).size };
}

// Finds the recordings in a folder and its subfolders. A folder that cannot be read becomes an input that fails; the other inputs are
// processed.
function recordingsBelow(folder: string, takesLogs: boolean): Input[] {
  const found: Input[] = [];
  const wanted = takesLogs ? RECORDING_OR_LOG : RECORDING;
  let hasLogs = false;
  const walk = (path: string) => {
    try {
      for (const entry of entriesOf(path)) {
        if (entry.name.startsWith(".")) continue;
        const below = join(path, entry.name);
        if (entry.isDirectory()) walk(below);
        else if (wanted.test(entry.name) && isFile(below)) found.push(fileInput(below));
        else if (RECORDING_OR_LOG.test(entry.name)) hasLogs = true;
      }
    } catch (error) {
      found.push({ kind: "missing", name: path, error });
    }
  };
  walk(folder);
  if (found.length > 0) return found;
  const advice = hasLogs ? " To read its .ubx logs, give their serial number with --serial." : "";
  return [nothing(folder, `This folder contains no .asi file.${advice}`)];
}

function matchesOf(arg: string, takesLogs: boolean): Input[] {
  if (!isPattern(arg)) return [nothing(arg, "There is no such file or folder.")];
  const pattern = sep === "\\" ? arg.replaceAll("\\", "/") : arg;
  const patterns = expandBraces(pattern);
  if (patterns === null) {
    const tooMany = `The braces of this pattern expand to more than ${MAX_EXPANSIONS} patterns; use fewer alternatives, or use * or a folder.`;
    return [nothing(arg, tooMany)];
  }
  const paths = [...new Set(patterns.flatMap(matches))].sort(byName);
  if (paths.length === 0) return [nothing(arg, "No file matches this pattern.")];
  return paths.flatMap((path) => inputsOf(path, takesLogs));
}

// Returns the paths that match a pattern without braces.
function matches(pattern: string): string[] {
  const { root } = parse(pattern);
  const parts = pattern
    .slice(root.length)
    .split("/")
    .filter((part) => part !== "");
  let found = [root];
  parts.forEach((part, i) => {
    const isLast = i === parts.length - 1;
    // a second `**` finds the same folders again
    found = [...new Set(found.flatMap((folder) => step(folder, part, isLast)))];
  });
  return found;
}

function step(folder: string, part: string, isLast: boolean): string[] {
  if (part === "**") {
    const folders = foldersBelow(folder);
    return isLast ? folders.flatMap((path) => step(path, "*", true)).filter(isFile) : folders;
  }
  if (!isPattern(part)) {
    const path = below(folder, unescaped(part));
    return statSync(path, { throwIfNoEntry: false }) === undefined ? [] : [path];
  }
  const meets = nameMatcher(part);
  return readable(folder)
    .filter(({ name }) => meets(name))
    .map(({ name }) => below(folder, name))
    .filter((path) => isLast || isFolder(path));
}

// Returns the folder itself and all its subfolders, without following links.
function foldersBelow(folder: string): string[] {
  const inside = readable(folder).filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  return [folder, ...inside.flatMap(({ name }) => foldersBelow(below(folder, name)))];
}

// Lists a folder. A pattern skips unreadable folders, as in a shell.
function readable(folder: string): Dirent[] {
  try {
    return entriesOf(folder === "" ? "." : folder);
  } catch {
    return [];
  }
}

function below(folder: string, name: string): string {
  return folder === "" ? name : join(folder, name);
}

function entriesOf(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => byName(a.name, b.name));
}

// does not depend on the locale of the computer
function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function nothing(name: string, message: string): Input {
  return { kind: "missing", name, error: new DescribedError({ error: { code: "NO_INPUT", message } }) };
}
