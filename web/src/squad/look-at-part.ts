/** The part of the page that finds problems and lists them. It is loaded after the first table. */
import "./look-at.css";

export { lookAt } from "./look-at.js";
export { LookAtList } from "./look-at-list.js";
export { MatchNote } from "./match-note.js";
