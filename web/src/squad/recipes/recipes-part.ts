/** The part of the squad with counts by recipes: loaded when a recipe is chosen, or to choose one. */
export { followChoice } from "./recipe-choice.js";
export { RecipeChoice } from "./recipe-list.js";
