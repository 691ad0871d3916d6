/** The part of the squad that stores its files in the browser. It is loaded while files are read. */
export { Keeper } from "./keeper.js";
export { restoreKept } from "./restore-kept.js";
