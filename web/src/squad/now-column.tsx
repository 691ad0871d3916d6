import { useComputed } from "@preact/signals";
import { KM_PER_H_OF_MM_PER_S } from "../view/values.js";
import { onIntervals } from "./clock/on-pitch.js";
import { speedAt } from "./map/positions.js";
import { nowIn } from "./play.js";
import type { SquadPlayer, SquadSession } from "./squad-session.js";

/** The speed of a player at the time of the map, or `–` for a player who is not on the pitch or has no data. */
export function NowCell({ session, player }: { session: SquadSession; player: SquadPlayer }) {
  const text = useComputed(() => {
    const now = nowIn(session);
    const on = onIntervals(session.periods.value, player.name);
    if (on !== null && !on.some(({ startMs, endMs }) => now >= startMs && now < endMs)) return "–";
    const speed = speedAt(player, now);
    return speed === null ? "–" : (speed * KM_PER_H_OF_MM_PER_S).toFixed(1);
  });
  // the text depends on the time, the row does not
  return <td>{text}</td>;
}
