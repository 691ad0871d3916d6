import { optionNames, requireObject, requireOptions } from "../arguments.js";
import { AsiError } from "../errors.js";
import {
  DEMO_PERIOD_MS,
  DemoPlayer,
  type DemoRole,
  HALF_LENGTH_M,
  HALF_WIDTH_M,
  placeOnEarth,
  randomNumbers,
} from "./demo.js";
import {
  CHANGED_TRACKER,
  type DemoSquadPlayer,
  FORMATION,
  isOnPitch,
  isPlayTime,
  MINUTE_MS,
  NAMES,
  playerOf,
  SUBSTITUTIONS,
  TIMES,
} from "./demo-match.js";
import type { EncodableRow } from "./encode.js";

/**
 * Overwrites a part of a recording with zeros, like a bad block on a memory card. Without `damage`, it changes nothing.
 *
 * @param damage start and end of the part, as shares of the bytes, from 0 to 1
 * @returns the same bytes
 * @throws AsiError `BAD_ARGUMENT`
 */
export function withDamage<Bytes extends Uint8Array>(
  bytes: Bytes,
  damage: DemoSquadRecording["damage"],
): Bytes {
  if (!(bytes instanceof Uint8Array)) throw new AsiError("BAD_ARGUMENT", "The bytes must be a Uint8Array.");
  if (damage === null) return bytes;
  requireObject("damage", damage);
  const { from, to } = damage;
  if (![from, to].every((share) => typeof share === "number" && share >= 0 && share <= 1))
    throw new AsiError("BAD_ARGUMENT", "from and to of damage must be shares of the bytes, from 0 to 1.");
  return bytes.fill(0, Math.floor(bytes.length * from), Math.floor(bytes.length * to)) as Bytes;
}

/** The recording of one tracker in a generated match. */
export interface DemoSquadRecording {
  /** The name of the file, without an extension. */
  fileName: string;
  serial: string;
  /** The damaged part, as shares of the bytes; null if there is none. */
  damage: { from: number; to: number } | null;
  rows(): Generator<EncodableRow, void, undefined>;
}

/** A generated match of a squad. */
export interface DemoSquad {
  recordings: DemoSquadRecording[];
  /** The content of `roster.csv` and `periods.csv`, for `readRoster` and `readPeriods`. */
  roster: string;
  periods: string;
  /** The corners of the pitch: the content of `pitch.csv`, for `readPitchCorners`. */
  pitch: string;
}

export interface DemoSquadOptions {
  /** Number of players, 11 to 25. */
  players: number;
  /** The seed; the same seed produces the same match. Default 1. */
  seed?: number | undefined;
  /** Time of the first row of most recordings, ms since 1970 UTC. */
  startMs: number;
  /**
   * UTC offset of the times in `periods`, ms; default 0. With `null`, times are written with date and UTC offset, so they are
   * unambiguous.
   */
  offsetMs?: number | null | undefined;
}

const OPTIONS = optionNames<DemoSquadOptions>({
  players: true,
  seed: true,
  startMs: true,
  offsetMs: true,
});

const PACES: Record<string, number> = { GK: 0.55, DF: 0.95, MF: 1.02, FW: 1 };
const RADII_M: Record<string, number> = { GK: 8, DF: 14, MF: 18, FW: 17 };

// incomplete recordings
const LATE = { player: 10, fromMinute: 39 };
const DAMAGED_PLAYER = 4;

/**
 * Generates a plausible match of a squad: a warm-up, two halves, substitutions, a goalkeeper who stays back, and players who move
 * as a team. One tracker is replaced during play, one starts late, and one file is damaged. The seed determines everything.
 *
 * @throws AsiError `BAD_OPTION` for a number of players outside its range
 */
export function demoSquad(options: DemoSquadOptions): DemoSquad {
  requireOptions(options, OPTIONS);
  const { players, seed = 1, startMs, offsetMs = 0 } = options;
  if (!Number.isInteger(players) || players < FORMATION.length || players > NAMES.length) {
    throw new AsiError(
      "BAD_OPTION",
      `A squad has ${FORMATION.length} to ${NAMES.length} players; ${players} cannot be generated.`,
    );
  }
  const squad = NAMES.slice(0, players).map((name, index) => playerOf(name, index));
  const substitutions = SUBSTITUTIONS.filter(({ on }) => on < players);
  return {
    recordings: squad.flatMap((player) => recordingsOf(player, seed, startMs, substitutions)),
    roster: rosterOf(squad),
    periods: periodsOf(squad, substitutions, clockFrom(startMs, offsetMs)),
    pitch: CORNERS_CSV,
  };
}

/** The corners are anticlockwise from the south-western one; the team attacks towards the east. */
const CORNERS_CSV = [
  [-HALF_LENGTH_M, -HALF_WIDTH_M],
  [HALF_LENGTH_M, -HALF_WIDTH_M],
  [HALF_LENGTH_M, HALF_WIDTH_M],
  [-HALF_LENGTH_M, HALF_WIDTH_M],
].reduce((csv, [east = 0, north = 0]) => {
  const { latitude, longitude } = placeOnEarth({ east, north });
  return `${csv}${latitude.toFixed(7)},${longitude.toFixed(7)}\n`;
}, "latitude,longitude\n");

function recordingsOf(
  player: DemoSquadPlayer,
  seed: number,
  startMs: number,
  substitutions: typeof SUBSTITUTIONS,
): DemoSquadRecording[] {
  const { index, name, serials } = player;
  const number = String(index + 1).padStart(2, "0");
  const [serial = "", second] = serials;
  const from = index === LATE.player ? LATE.fromMinute : 0;
  const rows = (fromMinute: number, toMinute: number) => () =>
    rowsOf(player, seed, startMs, substitutions, fromMinute, toMinute);
  const one = {
    fileName: `${number}-${name}`,
    serial,
    damage: index === DAMAGED_PLAYER ? { from: 0.72, to: 0.77 } : null,
    rows: rows(from, second === undefined ? TIMES.ends : CHANGED_TRACKER.offMinute),
  };
  if (second === undefined) return [one];
  const other = { fileName: `${number}-${name}-2`, serial: second, damage: null };
  return [one, { ...other, rows: rows(CHANGED_TRACKER.onMinute, TIMES.ends) }];
}

function* rowsOf(
  { index, home, position }: DemoSquadPlayer,
  seed: number,
  startMs: number,
  substitutions: typeof SUBSTITUTIONS,
  fromMinute: number,
  toMinute: number,
): Generator<EncodableRow, void, undefined> {
  let elapsedMs = 0;
  const bench = { east: -20 + index, north: HALF_WIDTH_M + 3 };
  const role: DemoRole = {
    place: () => teamPlace(home, position, elapsedMs, seed),
    radiusM: RADII_M[position] ?? 15,
    // players differ by up to 8 %
    pace: (PACES[position] ?? 1) * (0.92 + 0.16 * randomNumbers(seed * 1000 + index)()),
  };
  const person = new DemoPlayer(randomNumbers(seed * 100 + index), role);
  let wasPlaying = false;
  let row = 0;
  for (; elapsedMs <= toMinute * MINUTE_MS; elapsedMs += DEMO_PERIOD_MS) {
    const minute = elapsedMs / MINUTE_MS;
    const plays =
      minute < TIMES.warmUpEnds || (isPlayTime(minute) && isOnPitch(index, minute, substitutions));
    if (plays !== wasPlaying) person.walkTo(plays ? role.place() : bench);
    wasPlaying = plays;
    if (plays) person.move();
    else person.rest();
    // always computed, so that both trackers of a player have the same data
    if (minute < fromMinute) continue;
    yield {
      timestamp: startMs + elapsedMs,
      ...person.position(),
      hr: row % 10 === 0 ? person.hr() : null,
    };
    row += 1;
  }
}

/** Returns the position of a player in the team. The whole team moves back and forth, and changes ends at half-time. */
function teamPlace(home: { east: number; north: number }, position: string, elapsedMs: number, seed: number) {
  const minute = elapsedMs / MINUTE_MS;
  const side = minute < TIMES.firstEnds + 5 ? 1 : -1;
  const share = position === "GK" ? 0.15 : 1;
  const shift = 14 * Math.sin(minute * 2.1 + seed) * share + 6 * Math.sin(minute * 5.3) * share;
  const sway = 7 * Math.sin(minute * 3.7 + 1) * share;
  const limit = (value: number, most: number) => Math.max(-most, Math.min(most, value));
  return {
    east: limit(side * (home.east + shift), HALF_LENGTH_M - 6),
    north: limit(side * (home.north + sway), HALF_WIDTH_M - 6),
  };
}

function rosterOf(squad: readonly DemoSquadPlayer[]): string {
  const lines = squad.map(({ name, serials, index, position }) =>
    [name, serials.join(" "), index + 1, position, 188 + ((index * 5) % 13)].join(","),
  );
  return `player,serial,number,position,max_hr\n${lines.join("\n")}\n`;
}

/** Returns a function that formats minutes of the match as times; see `DemoSquadOptions`. */
function clockFrom(startMs: number, offsetMs: number | null): (minute: number) => string {
  return (minute) => {
    const text = new Date(startMs + (offsetMs ?? 0) + minute * MINUTE_MS).toISOString();
    return offsetMs === null ? `${text.slice(0, 19)}+00:00` : text.slice(11, 19);
  };
}

function periodsOf(
  squad: readonly DemoSquadPlayer[],
  substitutions: typeof SUBSTITUTIONS,
  clock: (minute: number) => string,
): string {
  const halves = [
    { name: "1st half", from: TIMES.firstBegins, to: TIMES.firstEnds },
    { name: "2nd half", from: TIMES.secondBegins, to: TIMES.secondEnds },
  ];
  const lines = [`Warm-up,${clock(0)},${clock(TIMES.warmUpEnds)},`];
  for (const { name, from, to } of halves) {
    lines.push(`${name},${clock(from)},${clock(to)},`);
    for (const { index, name: player } of squad) {
      const on = Math.max(from, substitutions.find((one) => one.on === index)?.minute ?? from);
      const off = Math.min(to, substitutions.find((one) => one.off === index)?.minute ?? to);
      const plays = isOnPitch(index, Math.min(on, to - 1), substitutions) && on < off;
      if (!plays) lines.push(`${name},-,-,${player}`);
      else if (on > from || off < to) lines.push(`${name},${clock(on)},${clock(off)},${player}`);
    }
  }
  return `period,start,end,player\n${lines.join("\n")}\n`;
}
