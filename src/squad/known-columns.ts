import { readSheet, type SheetProblem } from "./sheet.js";

/** A column that a reader supports, with the unit in its header. */
export interface KnownColumn {
  column: string;
  /** For example `km/h`; empty without one. */
  unit: string;
}

/** A row of a table with known columns. */
export interface KnownRow {
  /** Line of the start of the row, counted from 1. */
  line: number;
  /** Trimmed text; empty without one. */
  cell(column: string): string;
  /** The unit of the header of that text. */
  unit(column: string): string;
}

/** A header without capitals, accents, spaces and signs: `Max. HR` becomes `maxhr`. */
export const lettersOf = (name: string): string => name.replace(/[^\p{L}\p{N}]/gu, "");

/**
 * Reads a table like `readSheet`, and refuses data that would be ignored silently: headers that are similar to known columns, and two
 * columns for one value.
 *
 * @param known by `lettersOf` of the header
 */
export function readKnownColumns(
  file: Uint8Array | string,
  known: ReadonlyMap<string, KnownColumn>,
): { columns: ReadonlySet<string>; rows: KnownRow[]; headerLine: number; problems: SheetProblem[] } {
  const { columns: names, headers, headerLine, rows, problems: sheetProblems } = readSheet(file);
  const problems = [...sheetProblems];
  const found = names.map((name) => known.get(lettersOf(name)) ?? null);
  for (const [i, header] of headers.entries()) {
    const near = header === "" || found[i] !== null ? null : nearest(lettersOf(names[i] ?? ""), known);
    if (near === null) continue;
    problems.push({ line: headerLine, message: unknownText(header, near, known) });
  }
  const twice = new Set<string>();
  const read = rows.map(({ line, fields }): KnownRow => {
    const placeOf = (column: string) => {
      const places = found.flatMap((one, i) => (one?.column === column ? [i] : []));
      return places.find((i) => (fields[i] ?? "") !== "") ?? places[0] ?? -1;
    };
    const filled = found.flatMap((one, i) => (one !== null && (fields[i] ?? "") !== "" ? [one.column] : []));
    for (const column of new Set(filled)) {
      if (filled.indexOf(column) === filled.lastIndexOf(column) || twice.has(column)) continue;
      twice.add(column);
      problems.push({ line, message: `Two columns give the ${column} of this row. Keep one of them.` });
    }
    return {
      line,
      cell: (column) => fields[placeOf(column)] ?? "",
      unit: (column) => found[placeOf(column)]?.unit ?? "",
    };
  });
  const columns = new Set(found.flatMap((one) => (one === null ? [] : [one.column])));
  return { columns, rows: read, headerLine, problems };
}

function unknownText(header: string, near: string, known: ReadonlyMap<string, KnownColumn>): string {
  const units = [...known.values()].filter(({ column, unit }) => column === near && unit !== "");
  const withUnit = units.map(({ column, unit }) => `"${column} (${unit})"`);
  return `The column "${header}" is not known. Name it ${[`"${near}"`, ...withUnit].join(" or ")}, or remove it.`;
}

/** The known column with a similar name; null without one, because a table may have other columns. */
function nearest(letters: string, known: ReadonlyMap<string, KnownColumn>): string | null {
  let best: { column: string; distance: number } | null = null;
  for (const [name, { column, unit }] of known) {
    const rest = letters.startsWith(name) ? letters.length - name.length : Number.POSITIVE_INFINITY;
    const isFigure =
      unit === "" && [...known.values()].some((one) => one.column === column && one.unit !== "");
    const isNear =
      rest <= (isFigure ? letters.length : 2) ||
      sorted(letters) === sorted(name) ||
      editDistance(letters, name) < name.length / 3 ||
      // other words for it, such as HFmax
      (isFigure && letters.length === name.length && editDistance(sorted(letters), sorted(name)) <= 2);
    const distance = Math.min(rest, editDistance(letters, name));
    if (isNear && (best === null || distance < best.distance)) best = { column, distance };
  }
  return best?.column ?? null;
}

const sorted = (letters: string) => [...letters].sort().join("");

/** The number of letters to change, add or remove (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = (row[j] ?? 0) + Number(letter !== b[j]);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
