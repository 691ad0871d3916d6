import type { Grants } from "../permissions/coverage.js";

/** A time frame of a whole session. */
export interface WholeTime {
  startTime: Date;
  endTime: Date;
}

/**
 * Whether the data of a player count for the length of a session, and so for the shares with data of all players: the owner of the
 * session may read all time frames of the player in the whole session. In the table, only these players have a row for the whole
 * session, and in the season, only these have an entry.
 */
export const countsInLength = (grants: Grants, athleteId: number, whole: readonly WholeTime[]): boolean =>
  whole.length > 0 && whole.every(({ startTime, endTime }) => grants.cover(athleteId, startTime, endTime));
