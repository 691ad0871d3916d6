import { type SquadSheet, squadSheets } from "../../squad-report/squad-workbook.js";

/** A workbook of Excel (.xlsx) with a sheet for each session and period. */
export async function squadWorkbook(sheets: readonly SquadSheet[]): Promise<Uint8Array> {
  const { default: writeExcelFile } = await import("write-excel-file/node");
  return await writeExcelFile(squadSheets(sheets)).toBuffer();
}
