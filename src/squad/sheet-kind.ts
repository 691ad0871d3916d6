import { readSheet } from "./sheet.js";

/** The headers must be within this number of bytes or UTF-16 units. The rest is not read, because a recording can also be a CSV. */
const MOST_OF_HEADER = 2 ** 16;

export type SheetKind = "roster" | "periods" | "corners";

/**
 * Determines the kind of a user's table by its columns, otherwise by its name, so that a roster without the column `player` is recognized.
 * A table of pitch corners has a latitude and a longitude, and no other columns.
 *
 * @param file the bytes of a CSV, or its text
 * @returns null for any other table, such as a recording
 */
export function sheetKind(fileName: string, file: Uint8Array | string): SheetKind | null {
  const { columns } = readSheet(file.slice(0, MOST_OF_HEADER));
  const has = (...names: string[]) => names.every((name) => columns.includes(name));
  if (has("period", "start", "end")) return "periods";
  if (has("player", "serial") || has("player", "file")) return "roster";
  if (has("latitude", "longitude") && columns.length === 2) return "corners";
  const [, named] = /^(roster|periods)\b[^/\\]*\.(?:csv|txt)$/i.exec(fileName) ?? [];
  return named === undefined ? null : (named.toLowerCase() as SheetKind);
}
