/** The entry `asi-convert/squad-sheets`: the tables that users create for a squad. */

export { MAX_SHEET_BYTES } from "./known-columns.js";
export { readPitchCorners } from "./pitch-corners.js";
export { readPeriods } from "./read-periods.js";
export { readRoster } from "./read-roster.js";
export type { SheetProblem } from "./sheet.js";
export { type SheetKind, sheetKind } from "./sheet-kind.js";
export { type UnknownTracker, unknownTrackers, wrongLines } from "./unknown-trackers.js";
export { periodsCsv } from "./write-periods.js";
