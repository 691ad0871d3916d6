import type { PitchFrame, PitchPoint } from "../metrics/index.js";
import type { SampleBatch } from "../types.js";
import type { Interval } from "./interval.js";

/** A player who takes part, and the recordings of that player. */
export interface TakingPart {
  recordings: readonly { samples: SampleBatch }[];
  /** The intervals in which the player takes part. */
  intervals: readonly Interval[];
}

/** A player on the pitch at an instant. */
export interface PlacedPlayer<P> extends PitchPoint {
  player: P;
  /** mm/s; null if unknown */
  speedMmPerS: number | null;
  latitudeE7: number;
  longitudeE7: number;
}

/** All players at an instant. */
export interface TeamFrame<P> {
  /** ms since 1970 UTC */
  timeMs: number;
  players: PlacedPlayer<P>[];
}

/** Maximum time for which a position is valid until the next one; docs/metrics.md, "Pitch". */
const LONGEST_HOLD_MS = 1000;

/**
 * Yields the positions of the players on the pitch at equal steps from the start of an interval, but only between the first and the last
 * row, because an interval may last for years. A frame excludes players who have no row in the last second, or do not take part.
 *
 * @param stepMs at least 1
 */
export function* teamFrames<P extends TakingPart>(
  players: readonly P[],
  { startMs, endMs }: Interval,
  pitch: PitchFrame,
  stepMs: number,
): Generator<TeamFrame<P>, void, undefined> {
  const cursors = players.map((player) => ({ player, cursor: new RowCursor(player) }));
  const firstMs = Math.min(...cursors.map(({ cursor }) => cursor.firstMs));
  const lastMs = Math.max(...cursors.map(({ cursor }) => cursor.lastMs));
  const stopMs = Math.min(endMs, lastMs + LONGEST_HOLD_MS);
  const skipped = Math.max(0, Math.ceil((firstMs - startMs) / stepMs));
  for (let timeMs = startMs + skipped * stepMs; timeMs < stopMs; timeMs += stepMs) {
    const placed = cursors.flatMap(({ player, cursor }): PlacedPlayer<P>[] => {
      const isIn = player.intervals.some((one) => one.startMs <= timeMs && timeMs < one.endMs);
      const row = isIn ? cursor.at(timeMs) : null;
      if (row === null) return [];
      const { latitudeE7, longitudeE7, speedMmPerS } = row;
      const point = pitch.toPitch({ latitude: latitudeE7 / 1e7, longitude: longitudeE7 / 1e7 });
      return [{ player, ...point, speedMmPerS, latitudeE7, longitudeE7 }];
    });
    yield { timeMs, players: placed };
  }
}

/** The rows of a player in ascending order of time. */
class RowCursor {
  readonly #rows: { samples: SampleBatch; order: Uint32Array }[];
  readonly #next: number[];

  constructor({ recordings }: TakingPart) {
    this.#rows = recordings.map(({ samples }) => ({ samples, order: orderOf(samples) }));
    this.#next = recordings.map(() => 0);
  }

  /** The time of the first row; Infinity if there are no rows. */
  get firstMs(): number {
    return Math.min(
      ...this.#rows.map(({ samples, order }) => msAt(samples, order[0], Number.POSITIVE_INFINITY)),
    );
  }

  /** The time of the last row; -Infinity if there are no rows. */
  get lastMs(): number {
    return Math.max(
      ...this.#rows.map(({ samples, order }) => msAt(samples, order.at(-1), Number.NEGATIVE_INFINITY)),
    );
  }

  /** Returns the last row at or before a time; null if there is none within the last second. Requested times must be in ascending order. */
  at(timeMs: number): { latitudeE7: number; longitudeE7: number; speedMmPerS: number | null } | null {
    let latestMs = timeMs - LONGEST_HOLD_MS;
    let found: { samples: SampleBatch; row: number } | null = null;
    for (const [i, { samples, order }] of this.#rows.entries()) {
      let next = this.#next[i] ?? 0;
      while (next < order.length && msAt(samples, order[next]) <= timeMs) next++;
      this.#next[i] = next;
      const row = order[next - 1];
      if (row === undefined || msAt(samples, row) <= latestMs) continue;
      latestMs = msAt(samples, row);
      found = { samples, row };
    }
    if (found === null) return null;
    const { samples, row } = found;
    const speedMmPerS = samples.speedMmPerS[row] ?? -1;
    return {
      latitudeE7: samples.latitudeE7[row] ?? 0,
      longitudeE7: samples.longitudeE7[row] ?? 0,
      speedMmPerS: speedMmPerS < 0 ? null : speedMmPerS,
    };
  }
}

/** @param without the result if there is no row */
const msAt = ({ timestampMs }: SampleBatch, row: number | undefined, without = 0): number =>
  row === undefined ? without : (timestampMs[row] ?? without);

/** Returns the rows sorted by time. Of several rows with the same time, the first one is used, and is placed last. */
function orderOf(samples: SampleBatch): Uint32Array {
  const order = Uint32Array.from({ length: samples.length }, (_, i) => i);
  return order.sort((a, b) => msAt(samples, a) - msAt(samples, b) || b - a);
}
