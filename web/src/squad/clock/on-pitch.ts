import { type Interval, intervalsFor, type SessionPeriod, united } from "asi-convert/squad";
import { halvesIn } from "../scope.js";

/**
 * Returns the times of a player in periods, ascending and disjoint. Returns null if there are no periods; the player then always counts.
 */
export function onIntervals(periods: readonly SessionPeriod[], player: string): Interval[] | null {
  if (periods.length === 0) return null;
  return united(periods.flatMap((period) => intervalsFor(period, player)));
}

/** Time at which a player enters or leaves the pitch, ms since 1970 UTC. */
export interface Change {
  atMs: number;
  kind: "on" | "off";
}

/**
 * Returns the times at which a player enters or leaves the pitch while others play, within a part of a match or between two parts. The list
 * is empty for a player who does not take part.
 */
export function changesOf(periods: readonly SessionPeriod[], player: string): Change[] {
  const halves = halvesIn(periods);
  const others = periods.filter((period) => !halves.includes(period));
  return [...changesIn(halves, player), ...others.flatMap((period) => changesIn([period], player))].sort(
    (a, b) => a.atMs - b.atMs,
  );
}

function changesIn(parts: readonly SessionPeriod[], player: string): Change[] {
  const changes: Change[] = [];
  const timed = parts.flatMap(({ all, ...period }) =>
    all === null ? [] : [{ all, own: intervalsFor({ all, ...period }, player) }],
  );
  for (const [i, { all, own }] of timed.entries()) {
    const before = timed[i - 1];
    const after = timed[i + 1];
    const wasOn = before === undefined || before.own.at(-1)?.endMs === before.all.endMs;
    const staysOn = after === undefined || after.own[0]?.startMs === after.all.startMs;
    for (const { startMs, endMs } of own) {
      if (startMs > all.startMs || !wasOn) changes.push({ atMs: startMs, kind: "on" });
      if (endMs < all.endMs || !staysOn) changes.push({ atMs: endMs, kind: "off" });
    }
  }
  return changes;
}
