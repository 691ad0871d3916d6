import { meetsWildcards, type WildcardToken } from "./wildcards.js";

/** A player of the squad. */
export interface Player {
  name: string;
  /** The shirt number; null if it is not in the roster. */
  number: string | null;
  /** The position of the player on the pitch, for example GK, DF, MF, FW. */
  position: string | null;
  /** Serial numbers of the player's trackers, as in the recordings, case-insensitive. */
  serials: string[];
  /** Patterns for file names: `*` matches any text, `?` one character. */
  files: string[];
  /** Beats per minute. */
  maxHr: number | null;
  /** Beats per minute. */
  restHr: number | null;
  highSpeedMPerS: number | null;
  sprintMPerS: number | null;
  /** Confirmed maximum sprinting speed, for individual zones. */
  maxSpeedMPerS: number | null;
  /** Maximum aerobic speed from a test, for individual zones. */
  aerobicSpeedMPerS: number | null;
  /** `YYYY-MM-DD` */
  birthDate: string | null;
  massKg: number | null;
  /** Line of the player's first row. */
  line: number;
}

export interface Roster {
  players: Player[];
}

/** Returns the key for comparing names, in lower case and without repeated spaces. */
export function nameKey(name: string): string {
  return name.normalize("NFC").toLowerCase().replace(/\s+/g, " ").trim();
}

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** Returns whether all words of a name are in the name of a file: "Müller" is in `05 Müller.asi`, but not in `05-Mueller.asi`. */
export function isNamedIn(fileName: string, name: string): boolean {
  const inFile = wordsOf(comparable(fileName));
  const words = wordsOf(nameKey(name));
  return words.length > 0 && words.every((word) => inFile.includes(word));
}

/**
 * Finds the player of a recording, first by serial number, then by file name. Returns null if the roster does not contain the player. A
 * file that cannot be read has no serial number; it belongs to the player whose name is in the file name. Of several patterns that match, the
 * most exact one decides; equally exact patterns of several players decide nothing.
 */
export function playerOfRecording(
  { players }: Roster,
  { serial, fileName }: { serial: string; fileName: string },
): Player | null {
  const wanted = serial.toLowerCase();
  const named = serial === "" ? players.filter(({ name }) => isNamedIn(fileName, name)) : [];
  return (
    players.find(({ serials }) => serials.some((one) => one.toLowerCase() === wanted)) ??
    playerOfFile(players, fileName) ??
    (named.length === 1 ? named[0] : undefined) ??
    null
  );
}

/** Normalizes a file name, because file systems encode accents in two ways and may ignore case. */
const comparable = (fileName: string) =>
  fileName
    .normalize("NFC")
    .toLowerCase()
    .replace(/\.(asi|ubx)(\.gz)?$/, "");

function playerOfFile(players: readonly Player[], fileName: string): Player | null {
  let most = -1;
  let found: Player | null = null;
  for (const player of players) {
    for (const pattern of player.files) {
      const exactness = meetsPattern(fileName, pattern) ? exactnessOf(pattern) : -1;
      if (exactness > most) found = player;
      else if (exactness === most && found !== player) found = null;
      most = Math.max(most, exactness);
    }
  }
  return found;
}

/** Returns the number of fixed characters, which is infinite without wildcards, because such a pattern is the most exact one. */
const exactnessOf = (pattern: string): number =>
  /[*?]/.test(pattern) ? comparable(pattern).replace(/[*?]/g, "").length : Infinity;

function meetsPattern(fileName: string, pattern: string): boolean {
  const tokens = [...comparable(pattern)].map((wanted): WildcardToken => {
    if (wanted === "*") return "*";
    return wanted === "?" ? () => true : (character) => character === wanted;
  });
  return meetsWildcards(tokens, [...comparable(fileName)]);
}
