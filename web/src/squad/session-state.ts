import type { Interval, SessionPeriod, ZoneKind } from "asi-convert/squad";
import type { Scope } from "./scope.js";
import type { Sort } from "./shown-order.js";
import type { SquadSession } from "./squad-session.js";

/** The settings and changes to a session, which are stored with the files. Figures are not stored. */
export interface SessionState {
  scope: Scope;
  sort: Sort;
  isPerMinute: boolean;
  isByPosition: boolean;
  /** Missing in states of earlier versions. */
  zones?: ZoneKind | null;
  editedPeriods:
    | readonly { name: string; all: Interval | null; own: [string, Interval[]][]; line: number }[]
    | null;
  trackerNames: [string, string][];
  ignored: string[];
  /** Shifts by the places of files in the list, because two files may have the same name. */
  shifts: [number, number][];
  /** The places of files in the list. */
  keptApart: number[];
}

/** Returns the current state. Reading it subscribes to all its signals. */
export function stateOf(session: SquadSession): SessionState {
  const places = session.files.value.flatMap(({ state }, place) =>
    state.name === "recording" ? [{ place, recording: state.recording }] : [],
  );
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
    shifts: places.flatMap(({ place, recording: { shiftMs } }) =>
      shiftMs === 0 ? [] : [[place, shiftMs] as [number, number]],
    ),
    keptApart: places.filter(({ recording }) => apart.has(recording.id)).map(({ place }) => place),
  };
}

/** Applies a stored state to a session whose files have been read. */
export async function applyState(session: SquadSession, state: SessionState): Promise<void> {
  const recordingAt = (place: number) => {
    const found = session.files.peek()[place]?.state;
    return found?.name === "recording" ? found.recording : undefined;
  };
  for (const [place, shiftMs] of state.shifts) {
    const recording = recordingAt(place);
    if (recording !== undefined) await session.opened.shiftClock(recording.id, shiftMs);
  }
  session.trackerNames.value = new Map(state.trackerNames);
  session.keptApart.value = new Set(state.keptApart.flatMap((place) => recordingAt(place)?.id ?? []));
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
