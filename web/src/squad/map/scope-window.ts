import type { TimeWindow } from "../../view/window.js";
import { scopeOf } from "../scope.js";
import type { SquadSession } from "../squad-session.js";

/** Returns the time from the beginning to the end of the current scope, or the whole session if the scope has no interval. */
export function scopeWindow(session: SquadSession): TimeWindow {
  const whole = session.interval.value;
  const { intervals } = scopeOf(session.scope.value, "", session.periods.value, session.time.value);
  const first = intervals?.[0] ?? whole;
  const last = intervals?.at(-1) ?? whole;
  return { startMs: first?.startMs ?? 0, stopMs: last?.endMs ?? 1 };
}
