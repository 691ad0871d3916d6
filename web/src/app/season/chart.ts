/**
 * The chart of a season is the same as in `asi squad --by player`. It is imported from the source of the library, because an import of the
 * package would duplicate the code.
 */
export type { DrawnElement } from "../../../../src/pictures/drawn-element.js";
export { unreachableText } from "../../../../src/pictures/unreachable-threshold.js";
export { SQUAD_COLUMNS, type SquadColumn } from "../../../../src/squad/columns.js";
export {
  type Season,
  type SeasonEntry,
  type SeasonPlayer,
  seasonFigure,
} from "../../../../src/squad/season.js";
export { NORMAL_RULE } from "../../../../src/squad/season-comparison.js";
export { cellText } from "../../../../src/squad-report/cells.js";
export { matchNotes } from "../../../../src/squad-report/match-notes.js";
export { marksOf } from "../../../../src/squad-report/row-marks.js";
export { entryText } from "../../../../src/squad-report/season-entry.js";
export { figureName, numberAndName } from "../../../../src/squad-report/season-names.js";
export { playerNotes } from "../../../../src/squad-report/season-notes.js";
export {
  comparedIndex,
  comparisonOf,
  comparisonText,
  farthestFirst,
  type PanelFrame,
  panelTicks,
  seasonChart,
} from "../../../../src/squad-report/season-panel.js";
export { SEASON_HEADS, seasonCells } from "../../../../src/squad-report/season-table.js";
