import type { Grants } from "../permissions/coverage.js";

/** The time of a time frame. */
export interface FrameTime {
  startTime: Date;
  endTime: Date;
}

/** Whether the owner of the session may read a row of a player: all time frames whose samples are in it. */
export const isReadableRow = (grants: Grants, athleteId: number, frames: readonly FrameTime[]): boolean =>
  frames.every(({ startTime, endTime }) => grants.cover(athleteId, startTime, endTime));

/**
 * Whether the data of a player count for the length of a session, and so for the shares with data of all players: the owner of the
 * session may read the row of the player for the whole session. In the table, only these players have this row, and in the season,
 * only these have an entry.
 */
export const countsInLength = (grants: Grants, athleteId: number, whole: readonly FrameTime[]): boolean =>
  whole.length > 0 && isReadableRow(grants, athleteId, whole);
