import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { PitchFrame } from "asi-convert/metrics";
import type { Interval } from "asi-convert/squad";
import { onIntervals } from "../clock/on-pitch.js";
import type { AttackSide } from "../period-steps.js";
import { nowIn, periodAt, type TimedPeriod, timedPeriods } from "../play.js";
import { halvesIn } from "../scope.js";
import type { PlayerRow, SquadPlayer, SquadSession } from "../squad-session.js";
import { type Plane, planeOf } from "./plane.js";
import { type Spot, spotAt, turned } from "./positions.js";

export type MapKind = "moment" | "track" | "heat";

/** The row of the selected player. It is a signal, because drawings follow it. */
export type ChosenRow = ReadonlySignal<PlayerRow | undefined>;

type MeasuredPitch = { frame: PitchFrame; problem: null } | { frame: null; problem: string };

/** The state of the map. The session contains other choices, such as player and time. */
export class MapState {
  readonly session: SquadSession;
  readonly kind: Signal<MapKind> = signal("moment");
  /** Names of the periods in which the map is rotated by 180 degrees. An empty name stands for the time outside all periods. */
  readonly turnedIn: Signal<ReadonlySet<string>> = signal(new Set());
  /** The pitch of the file with its corners, or null if there is none. */
  readonly measured: Signal<MeasuredPitch | null> = signal(null);
  /** The plane under the corners of the pitch. It does not change while the editor is open, and is null while the map is shown. */
  readonly cornersOn: Signal<Plane | null> = signal(null);
  /** Whether the user has just moved the corners. The focus returns to their button. */
  hasMovedCorners = false;
  readonly plane: ReadonlySignal<Plane | null>;
  readonly periods: ReadonlySignal<readonly TimedPeriod[]>;
  readonly nowMs: ReadonlySignal<number>;
  readonly period: ReadonlySignal<TimedPeriod | null>;
  /** All players on the pitch who have data. */
  readonly spots: ReadonlySignal<readonly Spot[]>;
  #corners: File | null = null;
  readonly #on: ReadonlySignal<ReadonlyMap<SquadPlayer, readonly Interval[] | null>>;

  constructor(session: SquadSession) {
    this.session = session;
    this.periods = computed(() => timedPeriods(session.periods.value));
    this.#on = computed(() => {
      const periods = session.periods.value;
      return new Map(session.players.value.map((player) => [player, onIntervals(periods, player.name)]));
    });
    this.plane = computed(() => {
      if (session.isReading.value) return null;
      const periods = session.periods.value;
      // The match is played on the pitch. Players who warm up or stretch may be beside it.
      const halves = halvesIn(periods);
      const parts = halves.length > 0 ? halves : periods;
      return planeOf(
        session.players.value,
        ({ name }) => onIntervals(parts, name),
        this.measured.value?.frame ?? null,
      );
    });
    effect(() => {
      const file = session.files.value.findLast(({ state }) => state.name === "corners")?.file ?? null;
      if (file !== this.#corners) this.#measure(file);
    });
    this.nowMs = computed(() => nowIn(session));
    this.period = computed(() => periodAt(this.periods.value, this.nowMs.value));
    this.spots = computed(() => {
      const plane = this.plane.value;
      if (plane === null) return [];
      const now = this.nowMs.value;
      const isTurned = this.isTurnedAt(now);
      const spots: Spot[] = [];
      for (const [player, on] of this.#on.value) {
        if (on !== null && !on.some(({ startMs, endMs }) => now >= startMs && now < endMs)) continue;
        const spot = spotAt(player, now, plane);
        if (spot === null) continue;
        spots.push(isTurned ? { ...turned(spot), trail: spot.trail.map(turned) } : spot);
      }
      return spots;
    });
  }

  async #measure(file: File | null): Promise<void> {
    this.#corners = file;
    this.measured.value = null;
    if (file === null) return;
    let measured: MeasuredPitch;
    try {
      const { frameIn } = await import("./pitch-file.js");
      measured = { frame: await frameIn(file), problem: null };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      measured = { frame: null, problem: `${file.name}: ${message}` };
    }
    // a different file may have been added in the meantime
    if (file === this.#corners) this.measured.value = measured;
  }

  readonly isTurnedAt = (ms: number): boolean => this.turnedIn.value.has(this.#turnNameAt(ms));

  /** Rotates the map by 180 degrees in the current period. */
  turn(): void {
    const name = this.#turnNameAt(this.nowMs.peek());
    const next = new Set(this.turnedIn.peek());
    if (!next.delete(name)) next.add(name);
    this.turnedIn.value = next;
  }

  /** The side of the displayed map towards which the team attacks, or null if it is unknown. */
  get attack(): AttackSide | null {
    const name = this.#turnNameAt(this.nowMs.value);
    const side = this.session.attack.value.get(name);
    if (side === undefined) return null;
    if (!this.turnedIn.value.has(name)) return side;
    return side === "left" ? "right" : "left";
  }

  // a drill within a half has the direction of the half
  #turnNameAt(ms: number): string {
    const halves = new Set(halvesIn(this.session.periods.value).map(({ name }) => name));
    const periods = this.periods.value;
    const half = periodAt(
      periods.filter(({ name }) => halves.has(name)),
      ms,
    );
    return (half ?? periodAt(periods, ms))?.name ?? "";
  }
}

const states = new WeakMap<SquadSession, MapState>();

/** Returns the map of a session. Its rotation is preserved while the page shows a player. */
export function mapOf(session: SquadSession): MapState {
  const state = states.get(session) ?? new MapState(session);
  states.set(session, state);
  return state;
}
