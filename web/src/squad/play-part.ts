/** The part of the squad view that follows the time. It is loaded after the table. */
export { NowCell } from "./now-column.js";
export { playbackOf } from "./play.js";
