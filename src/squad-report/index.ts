/** The entry `asi-convert/squad`: what command and page compute, show and write of a squad. */
export { instantFormat, offsetIn } from "../rows/instant-format.js";
export * from "../squad/index.js";
export { type FileColumn, tableCsv, textLayout } from "./cell-files.js";
export { cellText, isIncomplete, kmPerHText, marksOf, unitText } from "./cells.js";
export { byPosition, type PositionGroup, positionOf } from "./positions.js";
export { FILE_COLUMNS, type SquadFileRow } from "./squad-columns.js";
export { sheetOf, workbookSheets } from "./workbook-sheets.js";
