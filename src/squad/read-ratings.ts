import { type KnownColumn, readKnownColumns } from "./known-columns.js";
import { headersText, type SheetProblem } from "./sheet.js";

const COLUMNS: ReadonlyMap<string, KnownColumn> = new Map(
  ["file", "rpe"].map((column) => [column, { column, unit: "" }]),
);

/** The maximum of the rating scale (Borg's CR10). */
const HIGHEST_RATING = 10;

/** The rating of a recording. */
export interface Rating {
  /** Name of the recording, as in the table of ratings. */
  file: string;
  /** Rating of perceived exertion, 0 to 10. */
  rpe: number;
}

/** Ratings by the name of the recording in lower case. */
export type Ratings = ReadonlyMap<string, Rating>;

/**
 * Reads ratings of perceived exertion: the columns `file` (the name of a recording) and `rpe`.
 *
 * @param file the bytes of a CSV, or its text
 * @returns all readable ratings, and every problem with its line
 */
export function readRatings(file: Uint8Array | string): { ratings: Ratings; problems: SheetProblem[] } {
  const ratings = new Map<string, Rating>();
  const { columns, headers, rows, headerLine, problems, refusal } = readKnownColumns(file, COLUMNS);
  if (refusal !== null) return { ratings, problems: [{ line: headerLine, message: refusal }] };
  if (!columns.has("file") || !columns.has("rpe")) {
    const message = `A table of ratings needs the columns file and rpe. ${headersText(headers)}`;
    return { ratings, problems: [{ line: headerLine, message }] };
  }
  for (const { line, cell } of rows) {
    const file = cell("file");
    const name = file.toLowerCase();
    const text = cell("rpe").replace(",", ".");
    const rating = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (name === "") problems.push({ line, message: "The row has no file. Name the recording." });
    else if (!(rating <= HIGHEST_RATING))
      problems.push({
        line,
        message: `The rating "${cell("rpe")}" is invalid; give a number from 0 to ${HIGHEST_RATING}.`,
      });
    else if (ratings.has(name))
      problems.push({ line, message: `${file} has two ratings. Keep one of the rows.` });
    else ratings.set(name, { file, rpe: rating });
  }
  return { ratings, problems };
}
