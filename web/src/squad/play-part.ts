/** The part of the squad that follows the time: loaded after the table. */
export { NowCell } from "./now-column.js";
export { playbackOf } from "./play.js";
