import { AsiError } from "../errors.js";
import { isTurnDue, takeTurn } from "../sources/event-loop-turns.js";
import type { ChunkReader } from "../sources/source.js";
import { type CsvFields, LONG_ROW, MAX_ROW_LENGTH } from "./csv-track.js";

// Size of the pieces in which the text is divided, in bytes.
const PIECE = 1 << 16;

/**
 * Divides a CSV into the fields of its rows (RFC 4180). Quoted fields may contain delimiters, line ends, and doubled quotes.
 *
 * @throws AsiError `BAD_CSV` for a row that is too long, or an unclosed quote
 */
export async function* csvFields(
  chunks: ChunkReader,
  delimiter: string,
): AsyncGenerator<CsvFields, void, undefined> {
  const decoder = new TextDecoder();
  let line = 0;
  let rest = "";
  // the lines of a row whose quote is still open
  let open: string[] = [];
  let openLength = 0;
  const rowOf = (text: string): CsvFields | null => {
    line += 1;
    openLength += text.length + 1;
    if (openLength > MAX_ROW_LENGTH) throw longRow(line);
    const isRowOpen = isOpenAfter(text, open.length > 0);
    if (isRowOpen || open.length > 0) open.push(text);
    if (isRowOpen) return null;
    const row = open.length === 0 ? text : open.join("\n");
    open = [];
    openLength = 0;
    return { fields: row.includes('"') ? quotedFields(row, delimiter) : row.split(delimiter), line };
  };
  for (let chunk = await chunks.read(); chunk !== null; chunk = await chunks.read()) {
    for (let from = 0; from < chunk.length; from += PIECE) {
      if (isTurnDue()) await takeTurn();
      const lines = (rest + decoder.decode(chunk.subarray(from, from + PIECE), { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) {
        const row = rowOf(text);
        if (row !== null) yield row;
      }
      if (openLength + rest.length > MAX_ROW_LENGTH) throw longRow(line + 1);
    }
  }
  const last = rowOf(rest + decoder.decode());
  if (last === null) throw longRow(line);
  yield last;
}

function longRow(line: number): AsiError {
  return new AsiError("BAD_CSV", `Line ${line}: ${LONG_ROW}.`, { line });
}

/** Returns whether a quote is open at the end of a line. A doubled quote closes it and opens it again. */
function isOpenAfter(line: string, isOpenBefore: boolean): boolean {
  let isOpen = isOpenBefore;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) isOpen = !isOpen;
  return isOpen;
}

function quotedFields(row: string, delimiter: string): string[] {
  const fields: string[] = [];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < row.length; at++) {
    const character = row[at] as string;
    if (character === '"') {
      if (isQuoted && row[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = !isQuoted;
    } else if (character === delimiter && !isQuoted) {
      fields.push(field);
      field = "";
    } else field += character;
  }
  return [...fields, field];
}
