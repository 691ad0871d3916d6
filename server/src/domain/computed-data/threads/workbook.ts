import { workbookSheets } from "asi-convert/squad-report";
import writeExcelFile from "write-excel-file/node";
import type { CellSheet } from "../../change/compute-pool.js";

/** Writes a workbook in one piece, which takes about a second for the largest table of a session. */
export const writeWorkbook = (sheets: readonly CellSheet[]): Promise<Uint8Array> =>
  writeExcelFile(workbookSheets(sheets)).toBuffer();
