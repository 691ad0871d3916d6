/** The entry `asi-convert/squad`: the report, tables and files of a squad, for the command and the page. */
export { instantFormat, offsetIn } from "../rows/instant-format.js";
export * from "../squad/index.js";
export { csvInFile, type FileColumn, tableCsv, textLayout } from "./cell-files.js";
export { cellText, isIncomplete, kmPerHText, marksOf, unitText } from "./cells.js";
export { byPosition, type PositionGroup, positionOf } from "./positions.js";
export { FILE_COLUMNS, type SquadFileRow } from "./squad-columns.js";
export { sheetOf, workbookSheets } from "./workbook-sheets.js";
