/** The part of the squad that counts by recipes. It is loaded when the user selects a recipe or opens the selection. */
export { followChoice } from "./recipe-choice.js";
export { RecipeChoice } from "./recipe-list.js";
