import type { Interval, SessionPeriod, ZoneKind } from "asi-convert/squad";
import type { Scope } from "./scope.js";
import type { Sort } from "./shown-order.js";
import type { SquadSession } from "./squad-session.js";

/** The settings and changes of a session, which are stored with the files. Figures are not stored. */
export interface SessionState {
  scope: Scope;
  sort: Sort;
  isPerMinute: boolean;
  isByPosition: boolean;
  /** Absent in states of earlier versions. */
  zones?: ZoneKind | null;
  editedPeriods:
    | readonly { name: string; all: Interval | null; own: [string, Interval[]][]; line: number }[]
    | null;
  trackerNames: [string, string][];
  ignored: string[];
  /** By the names of files. */
  shifts: [string, number][];
  keptApart: string[];
}

/** The current state; reading it subscribes to all its signals. */
export function stateOf(session: SquadSession): SessionState {
  const recordings = session.recordings.value;
  const apart = session.keptApart.value;
  return {
    scope: session.scope.value,
    sort: session.sort.value,
    isPerMinute: session.isPerMinute.value,
    isByPosition: session.isByPosition.value,
    zones: session.zones.value,
    editedPeriods:
      session.editedPeriods.value?.map(({ own, ...period }) => ({ ...period, own: [...own] })) ?? null,
    trackerNames: [...session.trackerNames.value],
    ignored: [...session.ignored.value],
    shifts: recordings.flatMap(({ file, shiftMs }) =>
      shiftMs === 0 ? [] : [[file.name, shiftMs] as [string, number]],
    ),
    keptApart: recordings.filter(({ id }) => apart.has(id)).map(({ file }) => file.name),
  };
}

/** Applies a stored state to a session whose files have been read. */
export async function applyState(session: SquadSession, state: SessionState): Promise<void> {
  const named = (name: string) => session.recordings.peek().find(({ file }) => file.name === name);
  for (const [name, shiftMs] of state.shifts) {
    const recording = named(name);
    if (recording !== undefined) await session.shiftClock(recording.id, shiftMs);
  }
  session.trackerNames.value = new Map(state.trackerNames);
  session.keptApart.value = new Set(state.keptApart.flatMap((name) => named(name)?.id ?? []));
  session.ignored.value = new Set(state.ignored);
  session.editedPeriods.value =
    state.editedPeriods?.map(({ own, ...period }): SessionPeriod => ({ ...period, own: new Map(own) })) ??
    null;
  session.sort.value = state.sort;
  session.isPerMinute.value = state.isPerMinute;
  session.isByPosition.value = state.isByPosition;
  session.zones.value = state.zones ?? null;
  session.scope.value = state.scope;
}
