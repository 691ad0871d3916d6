/** The entry `asi-convert/squad`: the functions for the table of a squad; `asi-convert/squad-report` writes its files. */
export { instantFormat, offsetIn } from "../rows/instant-format.js";
export * from "../squad/index.js";
export { cellText, kmPerHText, unitText } from "./cells.js";
export { byPosition, type PositionGroup, positionOf } from "./positions.js";
export { marksOf } from "./row-marks.js";
