import type { ZoneKind } from "asi-convert/squad";
import { type AttackSide, type EditedPeriod, NO_EDITS } from "./period-steps.js";
import type { Scope } from "./scope.js";
import type { Sort } from "./shown-order.js";
import type { SquadSession } from "./squad-session.js";

/** The settings and changes to a session, which are stored with the files. Figures are not stored. */
export interface SessionState {
  scope: Scope;
  sort: Sort;
  isPerMinute: boolean;
  isByPosition: boolean;
  zones: ZoneKind | null;
  /** The place of the file that selects the session. Null selects the largest. */
  sessionOf: number | null;
  /** The changed periods and directions of play of each session. */
  edits: readonly StoredEdits[];
  trackerNames: [string, string][];
  ignored: { key: string; places: number[] }[];
  /** Shifts by the places of files in the list, because two files may have the same name. */
  shifts: [number, number][];
  /** The places of files in the list. */
  keptApart: number[];
}

interface StoredEdits {
  /** The places of the session's files. */
  places: number[];
  periods: readonly StoredPeriod[] | null;
  attack: [string, AttackSide][];
}

interface StoredPeriod extends Omit<EditedPeriod, "own" | "entered"> {
  own: StoredOwn;
  entered?: StoredOwn | undefined;
}

/** The times of players. JSON has null for infinite times. */
type StoredOwn = [string, { startMs: number | null; endMs: number | null }[]][];

const ownOf = (stored: StoredOwn): EditedPeriod["own"] =>
  new Map(
    stored.map(([player, intervals]) => [
      player,
      intervals.map(({ startMs, endMs }) => ({ startMs: startMs ?? -Infinity, endMs: endMs ?? Infinity })),
    ]),
  );

/** Returns the current state. Reading it subscribes to all its signals. */
export function stateOf(session: SquadSession): SessionState {
  const places = session.files.value.flatMap(({ state }, place) =>
    state.name === "recording" ? [{ place, recording: state.recording }] : [],
  );
  const apart = session.keptApart.value;
  const placesOf = (isOne: (id: number) => boolean) =>
    places.filter(({ recording }) => isOne(recording.id)).map(({ place }) => place);
  return {
    scope: session.scope.value,
    sort: session.sort.value,
    isPerMinute: session.isPerMinute.value,
    isByPosition: session.isByPosition.value,
    zones: session.zones.value,
    sessionOf: placesOf((id) => id === session.sessionOf.value)[0] ?? null,
    edits: session.periodSteps.all.value.map(({ recordings, periods, attack }) => ({
      places: placesOf((id) => recordings.includes(id)),
      periods:
        periods?.map(({ own, entered, ...period }) => ({
          ...period,
          own: [...own],
          entered: entered && [...entered],
        })) ?? null,
      attack: [...attack],
    })),
    trackerNames: [...session.trackerNames.value],
    ignored: session.ignored.value.map(({ key, recordings }) => ({
      key,
      places: placesOf((id) => recordings.includes(id)),
    })),
    shifts: places.flatMap(({ place, recording: { shiftMs } }) =>
      shiftMs === 0 ? [] : [[place, shiftMs] as [number, number]],
    ),
    keptApart: placesOf((id) => apart.has(id)),
  };
}

/** Applies a stored state to a session. @param files the stored files in their order, not all of which may have been read */
export function applyState(session: SquadSession, state: SessionState, files: readonly File[]): void {
  const recordingAt = (place: number) => {
    const found = session.files.peek().find(({ file }) => file === files[place])?.state;
    return found?.name === "recording" ? found.recording : undefined;
  };
  for (const [place, shiftMs] of state.shifts) {
    const recording = recordingAt(place);
    if (recording !== undefined) session.opened.shiftClock(recording.id, shiftMs);
  }
  session.trackerNames.value = new Map(state.trackerNames);
  const idsAt = (at: readonly number[]) => at.flatMap((place) => recordingAt(place)?.id ?? []);
  session.keptApart.value = new Set(idsAt(state.keptApart));
  session.ignored.value = state.ignored.map(({ key, places }) => ({ key, recordings: idsAt(places) }));
  session.sessionOf.value = idsAt([state.sessionOf ?? -1])[0] ?? null;
  // undo steps are not stored
  session.periodSteps.all.value = state.edits.map(({ places, periods, attack }) => ({
    ...NO_EDITS,
    recordings: idsAt(places),
    periods:
      periods?.map(({ own, entered = [], ...period }) => ({
        ...period,
        own: ownOf(own),
        entered: ownOf(entered),
      })) ?? null,
    attack: new Map(attack),
  }));
  session.sort.value = state.sort;
  session.isPerMinute.value = state.isPerMinute;
  session.isByPosition.value = state.isByPosition;
  session.zones.value = state.zones;
  session.scope.value = state.scope;
}
