import { instantFormat } from "asi-convert/squad";
import { type Cell, type FileColumn, tableCsv, tableParquet, textLayout } from "asi-convert/squad-report";
import type { CellTable } from "../../change/compute-pool.js";

/** Writes a CSV in one piece, which takes up to half a second for the largest table of a session. */
export const writeCsv = (table: CellTable): string =>
  tableCsv(columnsOf(table), table.rows, textLayout(undefined, instantFormat(table.timeZone)));

/** Writes a Parquet file in one piece, which takes up to a second for the largest table of a session. */
export const writeParquet = (table: CellTable): Uint8Array => tableParquet(columnsOf(table), table.rows);

const columnsOf = ({ columns }: CellTable): FileColumn<Cell[]>[] =>
  columns.map((column, place) => ({ ...column, cell: (row) => row[place] ?? null }));
