import { editDistance } from "./edit-distance.js";
import { nameKey, type Player, type Roster } from "./roster.js";

/** A row of the roster that probably has a wrong serial number. */
export interface UnknownTracker {
  player: Player;
  /** What the roster says of the recordings: serial numbers, else names of files. */
  named: string;
  /** Serial numbers of recordings without a player, the most similar first. */
  nearest: string[];
}

/** Whom a recording belongs to. */
export interface RecordingOwner {
  serial: string;
  /** Of the roster; null: nobody there has it. */
  player: string | null;
}

/** How many serial numbers are suggested. */
const MOST_SUGGESTED = 3;

/**
 * Players of the roster without a recording, while recordings have no player: thresholds and times of these players then count for nobody.
 *
 * @param recordings those of one session
 * @returns in the order of the roster; empty if every recording has a player
 */
export function unknownTrackers(
  { players }: Roster,
  recordings: readonly RecordingOwner[],
): UnknownTracker[] {
  const present = new Set(recordings.flatMap(({ player }) => (player === null ? [] : [nameKey(player)])));
  const free = [
    ...new Set(
      recordings.flatMap(({ player, serial }) => (player === null && serial !== "" ? [serial] : [])),
    ),
  ];
  if (free.length === 0) return [];
  return players
    .filter(({ name }) => !present.has(nameKey(name)))
    .map((player) => {
      const wanted = player.serials.length > 0 ? player.serials : player.files;
      const far = (serial: string) =>
        Math.min(...wanted.map((one) => editDistance(one.toLowerCase(), serial.toLowerCase())));
      return {
        player,
        named: wanted.join(" or "),
        nearest: free.toSorted((a, b) => far(a) - far(b)).slice(0, MOST_SUGGESTED),
      };
    });
}
