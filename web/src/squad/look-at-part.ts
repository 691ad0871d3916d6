/** The part of the page that finds the problems to check and lists them; it is loaded after the first table. */
export { lookAt } from "./look-at.js";
export { LookAtList } from "./look-at-list.js";
