import { editDistance } from "./edit-distance.js";
import { isNamedIn, nameKey, type Player, type Roster } from "./roster.js";

/** A recording that no line of the roster names, and whose it could be. */
export interface UnknownTracker {
  serial: string;
  fileName: string;
  /** Players of the roster without a recording, the most probable first. One: a line of the roster is probably wrong. */
  likely: { player: Player /** Serial numbers in the roster, else names of files. */; named: string }[];
}

/** Whom a recording belongs to. */
export interface RecordingOwner {
  serial: string;
  fileName: string;
  /** Of the roster; null: nobody there has it. */
  player: string | null;
}

/** How many players are suggested. */
const MOST_SUGGESTED = 3;

/** Serial numbers of one order differ by little, so that more different letters are no mistake. */
const MOST_LETTERS = 2;

/**
 * Recordings that the roster does not name, with the players who have none: thresholds and times of these players count for nobody.
 *
 * @param recordings those of one session
 */
export function unknownTrackers(
  { players }: Roster,
  recordings: readonly RecordingOwner[],
): UnknownTracker[] {
  const present = new Set(recordings.flatMap(({ player }) => (player === null ? [] : [nameKey(player)])));
  const absent = players
    .filter(({ name }) => !present.has(nameKey(name)))
    .map((player) => ({ player, wanted: player.serials.length > 0 ? player.serials : player.files }))
    .map(({ player, wanted }) => ({ player, wanted, named: wanted.join(" or ") }));
  const free = new Map(
    recordings.flatMap((one) => (one.player === null && one.serial !== "" ? [[one.serial, one]] : [])),
  );
  return [...free.values()].map(({ serial, fileName }) => {
    const far = ({ wanted }: { wanted: readonly string[] }) =>
      Math.min(...wanted.map((one) => editDistance(one.toLowerCase(), serial.toLowerCase())));
    const inFileName = absent.filter(({ player }) => isNamedIn(fileName, player.name));
    const isPair = absent.length === 1 && free.size === 1;
    const similar = absent
      .filter((one) => isPair || far(one) <= MOST_LETTERS)
      .sort((a, b) => far(a) - far(b))
      .slice(0, MOST_SUGGESTED);
    const likely = inFileName.length === 1 ? inFileName : similar;
    return { serial, fileName, likely: likely.map(({ player, named }) => ({ player, named })) };
  });
}
