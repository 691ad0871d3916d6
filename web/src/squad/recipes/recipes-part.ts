/** The part of the squad for recipes and optional figures. It is loaded when the user selects one or opens the selection. */
export { Cautions, OptionalFigureChoice } from "./optional-list.js";
export { followChoice } from "./recipe-choice.js";
export { RecipeChoice } from "./recipe-list.js";
