import { optionNames, requireOptions, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import type { EncodableRow } from "./encode.js";

export interface DemoOptions {
  /** The seed; the same seed produces the same rows. A whole number from 0 to 4294967295; default 1. */
  seed?: number | undefined;
  /** Time of the first row, ms since 1970 UTC; must not be negative. */
  startMs: number;
  /** Time from the first row to the last, ms. The session ends before the year 10000. */
  durationMs: number;
}

const DEMO_OPTIONS = optionNames<DemoOptions>({ seed: true, startMs: true, durationMs: true });

const MAX_SEED = 0xffff_ffff;
/** 9999-12-31T23:59:59.999Z, ms since 1970. */
const MAX_TIME_MS = 253_402_300_799_999;

/** Time between two rows of `demoRows`, ms. */
export const DEMO_PERIOD_MS = 100;
const ROWS_PER_HR = 10;
// Sessions of at least this length have two halves. The break between them takes a seventh of the whole time (15 of 105 minutes).
const MIN_LENGTH_WITH_BREAK_MS = 45 * 60_000;
const BREAK_SHARE = 1 / 7;

/**
 * Generates a plausible football session, with 10 rows and one heart rate per second. A session of 45 minutes or more is a match
 * of two halves. In the break between them, nothing is recorded.
 *
 * @throws AsiError `BAD_OPTION` for a seed, start or duration outside its range
 */
export function demoRows(options: DemoOptions): Generator<EncodableRow, void, undefined> {
  requireOptions(options, DEMO_OPTIONS);
  const { seed = 1, startMs, durationMs } = options;
  requireNumber("seed", seed, MAX_SEED);
  if (!Number.isInteger(seed))
    throw new AsiError("BAD_OPTION", `seed is ${shown(seed)}; it must be an integer.`);
  requireNumber("startMs", startMs, MAX_TIME_MS);
  requireNumber("durationMs", durationMs, MAX_TIME_MS - startMs);
  return rowsOf(seed, startMs, durationMs);
}

function requireNumber(name: string, value: unknown, max: number): void {
  if (typeof value === "number" && value >= 0 && value <= max) return;
  throw new AsiError("BAD_OPTION", `${name} is ${shown(value)}; it must be a number from 0 to ${max}.`);
}

function* rowsOf(
  seed: number,
  startMs: number,
  durationMs: number,
): Generator<EncodableRow, void, undefined> {
  const player = new DemoPlayer(randomNumbers(seed));
  const breakMs = durationMs >= MIN_LENGTH_WITH_BREAK_MS ? wholeSeconds(durationMs * BREAK_SHARE) : 0;
  const breakBeginsMs = wholeSeconds((durationMs - breakMs) / 2);
  let row = 0;
  for (let elapsedMs = 0; elapsedMs <= durationMs; elapsedMs += DEMO_PERIOD_MS) {
    if (breakMs > 0 && elapsedMs > breakBeginsMs && elapsedMs < breakBeginsMs + breakMs) {
      player.rest();
      continue;
    }
    player.move();
    yield {
      timestamp: startMs + elapsedMs,
      ...player.position(),
      hr: row % ROWS_PER_HR === 0 ? player.hr() : null,
    };
    row += 1;
  }
}

function wholeSeconds(ms: number): number {
  return Math.round(ms / 1000) * 1000;
}

// Centre of the pitch, and half of its length and of its width in metres (105 by 68: IFAB Laws of the Game, Law 1).
const LATITUDE = 46.9629;
const LONGITUDE = 7.4648;
const ALTITUDE_M = 551;
export const HALF_LENGTH_M = 52.5;
export const HALF_WIDTH_M = 34;
// Length of a degree of latitude on a sphere of the Earth's mean radius (6,371,009 m).
const METRES_PER_DEGREE = 111_195;
const STEP_S = DEMO_PERIOD_MS / 1000;

// Target speed of sprints. The actual speed is 85 to 115 % of it. A run counts as a sprint from 7 m/s (25.2 km/h: `SOCCER` in
// metrics/presets.ts), so nearly all of these runs do.
const SPRINT_M_PER_S = 8;
// Target speed (m/s), relative frequency, and duration (s) of each kind of movement.
const PACES = [
  { speed: 0.3, weight: 16, seconds: 6 },
  { speed: 1.6, weight: 41, seconds: 7 },
  { speed: 3, weight: 27, seconds: 6 },
  { speed: 4.8, weight: 11, seconds: 4 },
  { speed: 6.2, weight: 3, seconds: 3 },
  { speed: SPRINT_M_PER_S, weight: 2, seconds: 4.5 },
] as const;
const MAX_ACCELERATION = 3.6; // m/s2
// In each step, the difference between the speed and the target speed shrinks by this share.
const EASE = 0.1;
const MAX_TURN = 2.4; // rad/s

/** Converts a position on the pitch to degrees. */
export const placeOnEarth = ({ east, north }: PitchPlace): { latitude: number; longitude: number } => ({
  latitude: LATITUDE + north / METRES_PER_DEGREE,
  longitude: LONGITUDE + east / (METRES_PER_DEGREE * Math.cos((LATITUDE * Math.PI) / 180)),
});

/** A position in metres east and north of the centre of the pitch. */
export interface PitchPlace {
  east: number;
  north: number;
}

/** The properties of a player in a team, in contrast to a player without a position. */
export interface DemoRole {
  /** Returns the current position of the player in the formation, and how far runs go from there, m. */
  place(): PitchPlace;
  radiusM: number;
  /** Factor for the target speeds. */
  pace: number;
}

/** A person on a pitch who walks, runs and turns, with a heart rate that follows the effort. */
export class DemoPlayer {
  readonly #random: () => number;
  readonly #role: DemoRole | null;
  // metres east and north of the centre of the pitch
  #east: number;
  #north: number;
  #speed = 0;
  #heading: number;
  #aimedSpeed = 1.5;
  #aimedHeading: number;
  #secondsLeft = 0;
  #bpm: number;
  #altitudeDrift = 0;

  constructor(random: () => number, role: DemoRole | null = null) {
    this.#random = random;
    this.#role = role;
    this.#east = (random() - 0.5) * HALF_LENGTH_M;
    this.#north = (random() - 0.5) * HALF_WIDTH_M;
    this.#heading = random() * 2 * Math.PI;
    this.#aimedHeading = this.#heading;
    this.#bpm = 95 + random() * 15;
    if (role !== null) this.walkTo(role.place());
  }

  /** Moves to a different position immediately. */
  walkTo({ east, north }: PitchPlace): void {
    this.#east = east;
    this.#north = north;
  }

  /** Moves for one step. */
  move(): void {
    this.#secondsLeft -= STEP_S;
    if (this.#secondsLeft <= 0) this.#decide();
    const turn = angleBetween(this.#heading, this.#aimedHeading);
    this.#heading += clamp(turn, -MAX_TURN * STEP_S, MAX_TURN * STEP_S);
    const change = this.#aimedSpeed - this.#speed;
    this.#speed += clamp(change * EASE, -MAX_ACCELERATION * STEP_S, MAX_ACCELERATION * STEP_S);
    this.#east += Math.cos(this.#heading) * this.#speed * STEP_S;
    this.#north += Math.sin(this.#heading) * this.#speed * STEP_S;
    this.#altitudeDrift += (this.#random() - 0.5) * 0.04 - this.#altitudeDrift * 0.002;
    this.#adjustHeartRate(108 + 23 * Math.min(this.#speed, 5) + 4 * Math.max(this.#speed - 5, 0));
  }

  /** Rests in the dressing room for one step. */
  rest(): void {
    this.#speed = 0;
    this.#adjustHeartRate(84);
  }

  /** Returns a measured position with a little noise, like that of a receiver. */
  position(): Pick<Required<EncodableRow>, "latitude" | "longitude" | "altitude" | "speed"> {
    const { latitude, longitude } = placeOnEarth({
      north: this.#north + this.#noise(),
      east: this.#east + this.#noise(),
    });
    const speed = Math.max(0, this.#speed + this.#noise());
    return { latitude, longitude, altitude: ALTITUDE_M + this.#altitudeDrift, speed };
  }

  #noise(): number {
    return (this.#random() - 0.5) * 0.06;
  }

  hr(): number {
    return Math.round(clamp(this.#bpm + (this.#random() - 0.5) * 2, 50, 205));
  }

  #decide(): void {
    const { east, north } = this.#role?.place() ?? { east: 0, north: 0 };
    const isAway =
      this.#role !== null && Math.hypot(this.#east - east, this.#north - north) > this.#role.radiusM;
    const isOutside =
      isAway || Math.abs(this.#east) > HALF_LENGTH_M - 4 || Math.abs(this.#north) > HALF_WIDTH_M - 4;
    const towardsMiddle = Math.atan2(north - this.#north, east - this.#east);
    const turn = (this.#random() - 0.5) * (isOutside ? 1 : 4);
    this.#aimedHeading = (isOutside ? towardsMiddle : this.#heading) + turn;
    const pace = this.#drawPace();
    this.#aimedSpeed = pace.speed * (0.85 + 0.3 * this.#random()) * (this.#role?.pace ?? 1);
    if (pace.speed === SPRINT_M_PER_S) {
      // towards the centre, where there is space to run
      this.#aimedHeading = towardsMiddle + turn / 8;
      this.#secondsLeft = pace.seconds * (0.8 + 0.4 * this.#random());
      return;
    }
    // players do not run near the touchline for long
    this.#secondsLeft = Math.min(
      pace.seconds * (0.5 + this.#random()),
      isOutside ? 2 : this.#secondsToLine(),
    );
  }

  #drawPace(): (typeof PACES)[number] {
    let draw = this.#random() * PACES.reduce((sum, { weight }) => sum + weight, 0);
    for (const pace of PACES) {
      draw -= pace.weight;
      if (draw < 0) return pace;
    }
    return PACES[0];
  }

  #secondsToLine(): number {
    const metres = Math.min(HALF_LENGTH_M - Math.abs(this.#east), HALF_WIDTH_M - Math.abs(this.#north));
    return Math.max(0.5, metres / Math.max(this.#aimedSpeed, 0.5));
  }

  // Adjusts the heart rate, which rises with the effort within half a minute, and decreases more slowly.
  #adjustHeartRate(aimed: number): void {
    const seconds = aimed > this.#bpm ? 28 : 55;
    this.#bpm += ((aimed - this.#bpm) * STEP_S) / seconds;
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

// returns -pi to pi
function angleBetween(from: number, to: number): number {
  return Math.atan2(Math.sin(to - from), Math.cos(to - from));
}

/** Returns a generator of random numbers from 0 to 1: Mulberry32 (Tommy Ettinger, 2017), with 32 bits of state. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
