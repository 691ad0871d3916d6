/** The entry `asi-convert/squad`: what command and page compute, show and write of a squad. */

export { instantFormat, offsetIn } from "../rows/instant-format.js";
export * from "../squad/index.js";
export { cellText, isIncomplete, kmPerHText, marksOf, unitText } from "./cells.js";
export { byPosition, type PositionGroup, positionOf } from "./positions.js";
export {
  type CsvLayout,
  type FileColumn,
  fileColumns,
  type SquadCell,
  squadCsv,
  squadJsonLines,
} from "./squad-csv.js";
export { type SquadSheet, squadSheets, type WorkbookSheet } from "./squad-workbook.js";
