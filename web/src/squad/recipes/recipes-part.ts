/** The part of the squad with counts by recipes: loaded when a recipe is selected, or to select one. */
export { followChoice } from "./recipe-choice.js";
export { RecipeChoice } from "./recipe-list.js";
