import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { SessionPeriod } from "asi-convert/squad";

/** The side of the map towards which a team attacks in a period. */
export type AttackSide = "left" | "right";

/** The state that users can undo. */
export interface PeriodsState {
  /** The changed periods, or null for those of the file. */
  periods: readonly SessionPeriod[] | null;
  /** The directions of play, by period name. */
  attack: ReadonlyMap<string, AttackSide>;
}

const MOST_STEPS = 50;

/** Changes to periods, with undo. */
export class PeriodSteps {
  readonly #periods: Signal<readonly SessionPeriod[] | null>;
  readonly #attack: Signal<ReadonlyMap<string, AttackSide>>;
  readonly #past: Signal<readonly PeriodsState[]> = signal([]);
  readonly #undone: Signal<readonly PeriodsState[]> = signal([]);
  #gesture: string | null = null;

  constructor(
    periods: Signal<readonly SessionPeriod[] | null>,
    attack: Signal<ReadonlyMap<string, AttackSide>>,
  ) {
    this.#periods = periods;
    this.#attack = attack;
  }

  /** The states that undo restores, latest first. */
  get past(): ReadonlySignal<readonly PeriodsState[]> {
    return this.#past;
  }

  /** @param gesture all changes of one gesture, such as a drag, form one step until `endGesture` */
  change(next: Partial<PeriodsState>, gesture: string | null = null): void {
    batch(() => {
      if (gesture === null || gesture !== this.#gesture) {
        this.#past.value = [this.#now(), ...this.#past.peek()].slice(0, MOST_STEPS);
      }
      this.#gesture = gesture;
      this.#undone.value = [];
      this.#set({ ...this.#now(), ...next });
    });
  }

  /**
   * Returns the state before the current gesture, because dragging back and forth must not lose data. Without a gesture, it returns the
   * current state.
   */
  before(gesture: string): PeriodsState {
    return (this.#gesture === gesture ? this.#past.peek()[0] : undefined) ?? this.#now();
  }

  endGesture(): void {
    this.#gesture = null;
  }

  undo(): void {
    this.#go(this.#past, this.#undone);
  }

  redo(): void {
    this.#go(this.#undone, this.#past);
  }

  #go(from: Signal<readonly PeriodsState[]>, to: Signal<readonly PeriodsState[]>): void {
    const [state, ...rest] = from.peek();
    if (state === undefined) return;
    batch(() => {
      to.value = [this.#now(), ...to.peek()];
      from.value = rest;
      this.#gesture = null;
      this.#set(state);
    });
  }

  #now(): PeriodsState {
    return { periods: this.#periods.peek(), attack: this.#attack.peek() };
  }

  #set({ periods, attack }: PeriodsState): void {
    this.#periods.value = periods;
    this.#attack.value = attack;
  }
}
