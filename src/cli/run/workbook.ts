import { type CellSheet, workbookSheets } from "../../squad-report/workbook-sheets.js";

export { sheetOf } from "../../squad-report/workbook-sheets.js";

/** Writes an Excel workbook (.xlsx). */
export async function workbook(sheets: readonly CellSheet[]): Promise<Uint8Array> {
  const { default: writeExcelFile } = await import("write-excel-file/node");
  return await writeExcelFile(workbookSheets(sheets)).toBuffer();
}
