/** The entry `asi-convert/squad`: what the table of a squad needs; `asi-convert/squad-report` has its files. */
export { instantFormat, offsetIn } from "../rows/instant-format.js";
export * from "../squad/index.js";
export { cellText, isIncomplete, kmPerHText, marksOf, unitText } from "./cells.js";
export { byPosition, type PositionGroup, positionOf } from "./positions.js";
