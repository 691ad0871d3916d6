import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Interval, SessionPeriod } from "asi-convert/squad";

/** The side of the map towards which a team attacks in a period. */
export type AttackSide = "left" | "right";

/** A period with the times that the user entered. */
export interface EditedPeriod extends SessionPeriod {
  /**
   * The times of players as the user entered them, after the ends of the period have moved. They are kept because a mistyped end would cut
   * them. An infinite time stands for the start or the end of the period.
   */
  entered?: SessionPeriod["own"];
}

/** The state that users can undo. */
export interface PeriodsState {
  /** The changed periods, or null for those of the file. */
  periods: readonly EditedPeriod[] | null;
  /** The directions of play, by period name. */
  attack: ReadonlyMap<string, AttackSide>;
}

/** The changes to the periods of one session. */
export interface Edits extends PeriodsState {
  /** Ids of the recordings of the session at its last change. */
  recordings: readonly number[];
  /** The states that undo restores, latest first. */
  past: readonly PeriodsState[];
  undone: readonly PeriodsState[];
}

/** The session whose periods are changed. */
export interface EditedSession {
  /** Ids of its recordings. */
  recordings: readonly number[];
  /** Ids of the recordings of all sessions. */
  all: readonly number[];
  interval: Interval | null;
}

const MOST_STEPS = 50;

const stateOf = ({ periods, attack }: PeriodsState): PeriodsState => ({ periods, attack });

/** No changes. */
export const NO_EDITS: Edits = { recordings: [], periods: null, attack: new Map(), past: [], undone: [] };

/** Changes to periods, with undo. Each session has its own changes. */
export class PeriodSteps {
  /** The changes to all sessions, latest first. */
  readonly all: Signal<readonly Edits[]> = signal([]);
  readonly #session: ReadonlySignal<EditedSession>;
  readonly #current: ReadonlySignal<Edits>;
  /** The changed periods of the current session. */
  readonly periods: ReadonlySignal<PeriodsState["periods"]>;
  readonly attack: ReadonlySignal<PeriodsState["attack"]>;
  /** The states that undo restores, latest first. */
  readonly past: ReadonlySignal<readonly PeriodsState[]>;
  #gesture: string | null = null;

  /** @param session the current session */
  constructor(session: ReadonlySignal<EditedSession>) {
    this.#session = session;
    this.#current = computed(() => editsOf(session.value, this.all.value));
    this.periods = computed(() => this.#current.value.periods);
    this.attack = computed(() => this.#current.value.attack);
    this.past = computed(() => this.#current.value.past);
  }

  /** @param gesture all changes of one gesture, such as a drag, form one step until `endGesture` */
  change(next: Partial<PeriodsState>, gesture: string | null = null): void {
    const now = this.#current.peek();
    const isStep = gesture === null || gesture !== this.#gesture;
    this.#gesture = gesture;
    const past = isStep ? [stateOf(now), ...now.past].slice(0, MOST_STEPS) : now.past;
    this.#set({ ...now, ...next, past, undone: [] });
  }

  /**
   * Returns the state before the current gesture, because dragging back and forth must not lose data. Without a gesture, it returns the
   * current state.
   */
  before(gesture: string): PeriodsState {
    const now = this.#current.peek();
    return (this.#gesture === gesture ? now.past[0] : undefined) ?? now;
  }

  endGesture(): void {
    this.#gesture = null;
  }

  undo(): void {
    this.#go("past", "undone");
  }

  redo(): void {
    this.#go("undone", "past");
  }

  #go(from: "past" | "undone", to: "past" | "undone"): void {
    const now = this.#current.peek();
    const [state, ...rest] = now[from];
    if (state === undefined) return;
    this.#gesture = null;
    this.#set({ ...now, ...state, [from]: rest, [to]: [stateOf(now), ...now[to]] });
  }

  #set(edits: Edits): void {
    const current = this.#current.peek();
    const others = this.all.peek().filter((one) => one !== current);
    this.all.value = [{ ...edits, recordings: this.#session.peek().recordings }, ...others];
  }
}

/** Returns the changes to a session. The recordings of a session can be replaced, so its changes are then those within its time. */
function editsOf({ recordings, all, interval }: EditedSession, edits: readonly Edits[]): Edits {
  const has = (ids: readonly number[]) => (one: Edits) => one.recordings.some((id) => ids.includes(id));
  const isAtThisTime = ({ periods }: Edits) =>
    (periods ?? []).some(
      ({ all: times }) => times !== null && interval !== null && overlaps(times, interval),
    );
  return edits.find(has(recordings)) ?? edits.find((one) => !has(all)(one) && isAtThisTime(one)) ?? NO_EDITS;
}

const overlaps = (a: Interval, b: Interval) => a.startMs < b.endMs && b.startMs < a.endMs;
