import { readSheet } from "./sheet.js";

export type SheetKind = "roster" | "periods";

/**
 * The type of a user's table: by its columns, else by its name, so that a roster without the column `player` is recognized.
 *
 * @param file the bytes of a CSV, or its text
 * @returns null for another table, such as a recording
 */
export function sheetKind(fileName: string, file: Uint8Array | string): SheetKind | null {
  const { columns } = readSheet(file);
  const has = (...names: string[]) => names.every((name) => columns.includes(name));
  if (has("period", "start", "end")) return "periods";
  if (has("player", "serial") || has("player", "file")) return "roster";
  const [, named] = /^(roster|periods)\b[^/\\]*\.(?:csv|txt)$/i.exec(fileName) ?? [];
  return named === undefined ? null : (named.toLowerCase() as SheetKind);
}
