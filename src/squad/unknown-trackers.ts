import { editDistance } from "./edit-distance.js";
import { isNamedIn, nameKey, type Player, type Roster } from "./roster.js";

/** A recording without a player in the roster, and the players to whom it may belong. */
export interface UnknownTracker {
  serial: string;
  fileName: string;
  /** Players of the roster without a recording, the most probable first. Empty if none is likely. */
  likely: LikelyPlayer[];
}

export interface LikelyPlayer {
  player: Player;
  /** Serial numbers from the roster, or file names if it has none. */
  named: string;
}

/** A recording and its player. */
export interface RecordingOwner {
  serial: string;
  fileName: string;
  /** Name from the roster; null if no player in it has the recording. */
  player: string | null;
}

/** Maximum number of suggested players. */
const MOST_SUGGESTED = 3;

/** Maximum number of different characters *(choice)*, because trackers bought together have similar serial numbers. */
const MOST_DIFFERENT = 2;

/**
 * Finds recordings without a player in the roster, and the players without a recording to whom they may belong. The thresholds and times of
 * these players would have no effect.
 *
 * @param recordings recordings of one session
 * @returns a result for each tracker without a player
 */
export function unknownTrackers(
  { players }: Roster,
  recordings: readonly RecordingOwner[],
): UnknownTracker[] {
  const present = new Set(recordings.flatMap(({ player }) => (player === null ? [] : [nameKey(player)])));
  const absent = players
    .filter(({ name }) => !present.has(nameKey(name)))
    .map((player) => ({
      player,
      named: (player.serials.length > 0 ? player.serials : player.files).join(" or "),
    }));
  const free = new Map(
    recordings.flatMap((one) => (one.player === null && one.serial !== "" ? [[one.serial, one]] : [])),
  );
  const namedIn = (fileName: string) => {
    const named = absent.filter(({ player }) => isNamedIn(fileName, player.name));
    return named.length === 1 ? named : [];
  };
  const taken = new Set([...free.values()].flatMap(({ fileName }) => namedIn(fileName)));
  return [...free.values()].map(({ serial, fileName }) => {
    const far = ({ player }: LikelyPlayer) =>
      Math.min(...player.serials.map((one) => editDistance(one.toLowerCase(), serial.toLowerCase())));
    const isPair = absent.length === 1 && free.size === 1;
    const similar = absent
      .filter((one) => !taken.has(one) && (isPair || far(one) <= MOST_DIFFERENT))
      .sort((a, b) => far(a) - far(b))
      .slice(0, MOST_SUGGESTED);
    const named = namedIn(fileName);
    return { serial, fileName, likely: named.length > 0 ? named : similar };
  });
}

/**
 * Returns the trackers with exactly one likely player, if that player is likely for no other tracker. That player's line in the roster is
 * probably wrong.
 */
export function wrongLines(trackers: readonly UnknownTracker[]): (UnknownTracker & LikelyPlayer)[] {
  return trackers.flatMap((tracker) => {
    const [only, ...others] = tracker.likely;
    if (only === undefined || others.length > 0) return [];
    const isShared = trackers.some(
      (one) => one !== tracker && one.likely.some(({ player }) => player === only.player),
    );
    return isShared ? [] : [{ ...tracker, ...only }];
  });
}
