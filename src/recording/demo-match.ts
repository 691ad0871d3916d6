// The plan of a generated match: its times, players, positions and substitutions.

export const MINUTE_MS = 60_000;

/** Times of the parts of a match, in minutes from the first row: a warm-up, two halves, and pauses between them. */
export const TIMES = {
  warmUpEnds: 18,
  firstBegins: 30,
  firstEnds: 76,
  secondBegins: 91,
  secondEnds: 139,
  ends: 142,
};

export const NAMES =
  "Keller Meier Brunner Baumann Huber Graf Roth Vogel Wolf Lang Kunz Berger Fuchs Koch Ziegler Bauer Winter Moser Egli Arnet Hess Lutz Marti Gerber Steiner".split(
    " ",
  );

/** A 4-4-2 formation: metres from the centre of the pitch, for a team that attacks towards the east. */
export const FORMATION: readonly { position: string; east: number; north: number }[] = [
  { position: "GK", east: -46, north: 0 },
  { position: "DF", east: -24, north: 20 },
  { position: "DF", east: -28, north: 7 },
  { position: "DF", east: -28, north: -7 },
  { position: "DF", east: -24, north: -20 },
  { position: "MF", east: -4, north: 21 },
  { position: "MF", east: -8, north: 6 },
  { position: "MF", east: -6, north: -6 },
  { position: "MF", east: -4, north: -21 },
  { position: "FW", east: 15, north: 7 },
  { position: "FW", east: 17, north: -8 },
];
/** The index in the formation of the player that each substitute could replace. */
const BENCH_PLACES = [0, 2, 6, 9, 8, 7, 10, 3, 6, 9, 1, 4, 5, 10];

/** Substitutions in the second half: the player who leaves, the player who enters, and the minute of the match. */
export const SUBSTITUTIONS = [
  { off: 8, on: 14, minute: 91 },
  { off: 7, on: 13, minute: 105 },
  { off: 2, on: 12, minute: 105 },
  { off: 6, on: 15, minute: 120 },
  { off: 9, on: 16, minute: 120 },
];

/** The player whose tracker is replaced, and the minutes at which the first recording ends and the second begins. */
export const CHANGED_TRACKER = { player: 5, offMinute: 50, onMinute: 52.4 };

export interface DemoSquadPlayer {
  index: number;
  name: string;
  position: string;
  home: { east: number; north: number };
  serials: string[];
}

export function playerOf(name: string, index: number): DemoSquadPlayer {
  const place = FORMATION[index] ?? FORMATION[BENCH_PLACES[index - FORMATION.length] ?? 0];
  if (place === undefined) throw new Error(`no position for player ${index}`);
  const { position, ...home } = place;
  const serials = index === CHANGED_TRACKER.player ? [100 + index + 1, 131] : [100 + index + 1];
  return { index, name, position, home, serials: serials.map((number) => `TRK-${number}`) };
}

export function isOnPitch(index: number, minute: number, substitutions: typeof SUBSTITUTIONS): boolean {
  const cameOn = substitutions.find(({ on }) => on === index);
  const wentOff = substitutions.find(({ off }) => off === index);
  const isStarter = index < FORMATION.length;
  return (
    (isStarter || (cameOn !== undefined && minute >= cameOn.minute)) && !(wentOff && minute >= wentOff.minute)
  );
}

export function isPlayTime(minute: number): boolean {
  return (
    (minute >= TIMES.firstBegins && minute < TIMES.firstEnds) ||
    (minute >= TIMES.secondBegins && minute < TIMES.secondEnds)
  );
}
