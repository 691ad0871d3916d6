// Totals of the rows of a lap or session.

/**
 * Distances are in half micrometres: the sum of two speeds in mm/s (twice their mean) times ms. They stay exact for thousands of
 * kilometres.
 */
const DISTANCE_UNITS_PER_CM = 20_000;

/** Totals of rows. */
export class Totals {
  /** First and last row, ms since 1970 UTC; null without rows. */
  startMs: number | null = null;
  endMs: number | null = null;
  /** Speed of the last row. */
  lastSpeedMmPerS = 0;
  /** Recorded time within the ranges, ms. */
  timerMs = 0;
  /** In units of half a micrometre. */
  distance = 0;
  maxSpeedMmPerS = 0;
  hrSum = 0;
  hrCount = 0;
  maxHr = 0;

  /** Adds the totals of later rows. */
  add(other: Totals): void {
    this.startMs ??= other.startMs;
    this.endMs = other.endMs ?? this.endMs;
    this.timerMs += other.timerMs;
    this.distance += other.distance;
    this.maxSpeedMmPerS = Math.max(this.maxSpeedMmPerS, other.maxSpeedMmPerS);
    this.hrSum += other.hrSum;
    this.hrCount += other.hrCount;
    this.maxHr = Math.max(this.maxHr, other.maxHr);
  }

  /** Time from the first row to the last, ms; 0 if time goes backwards. */
  get elapsedMs(): number {
    return this.startMs === null || this.endMs === null ? 0 : Math.max(0, this.endMs - this.startMs);
  }

  get distanceCm(): number {
    return centimetres(this.distance);
  }

  get meanSpeedMmPerS(): number | null {
    return this.timerMs === 0 ? null : Math.round(this.distance / 2 / this.timerMs);
  }

  get meanHr(): number | null {
    return this.hrCount === 0 ? null : Math.round(this.hrSum / this.hrCount);
  }

  get maxHrOrNone(): number | null {
    return this.hrCount === 0 ? null : this.maxHr;
  }
}

/** Converts a distance from units of half a micrometre to centimetres. */
export function centimetres(distance: number): number {
  return Math.round(distance / DISTANCE_UNITS_PER_CM);
}
