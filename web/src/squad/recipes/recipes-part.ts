/** The part of the squad for recipes and figures on request. It is loaded when the user selects one or opens the selection. */
export { Cautions, FurtherChoice } from "./further-list.js";
export { followChoice } from "./recipe-choice.js";
export { RecipeChoice } from "./recipe-list.js";
