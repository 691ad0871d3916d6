/** The part of the page that draws the clock and handles its pointers and keys. It is loaded after the first table. */
import "./clock.css";

export { ClockHead } from "./clock-head.js";
export { ClockLayer } from "./clock-layer.js";
export { stripText } from "./clock-words.js";
export { Legend } from "./legend.js";
