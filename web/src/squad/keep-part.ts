/** The part of the squad that stores its files in the browser. It is loaded while files are read. */
export { Keeper, keptFiles } from "./keeper.js";
export { applyState } from "./session-state.js";
