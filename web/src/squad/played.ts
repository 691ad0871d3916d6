import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import {
  asSessionPeriods,
  type SessionPeriod,
  type SuggestedPeriod,
  type SuggestedSubstitutions,
  suggestPeriods,
  suggestSubstitutions,
} from "asi-convert/squad";
import { type Ignored, isIgnored, refusalOf } from "./ignored.js";
import type { SquadPlayer } from "./squad-player.js";

/** Periods are examined after this time without a change, ms. Steps of a drag are not examined. */
const QUIET_MS = 200;

/** The required parts of a session. */
export interface PlayedSession {
  readonly isReading: ReadonlySignal<boolean>;
  readonly players: ReadonlySignal<readonly SquadPlayer[]>;
  readonly periods: ReadonlySignal<readonly SessionPeriod[]>;
  readonly shownRecordings: ReadonlySignal<readonly { id: number }[]>;
  readonly ignored: ReadonlySignal<readonly Ignored[]>;
}

/** When the players of a session were on the pitch. The times come from the periods, or from suggestions if the periods contain none. */
export class Played {
  /** Periods that the common pauses suggest. */
  readonly fromPauses: ReadonlySignal<readonly SuggestedPeriod[]>;
  /** The periods of the session, or suggested ones, with times of players. They are null while unknown. */
  readonly suggested: Signal<SuggestedSubstitutions | null> = signal(null);
  /** The last known value of `suggested`. */
  readonly #last: Signal<SuggestedSubstitutions | null> = signal(null);
  readonly #session: PlayedSession;
  readonly #stop: () => void;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(session: PlayedSession) {
    this.#session = session;
    this.fromPauses = computed(() => (session.isReading.value ? [] : suggestPeriods(session.players.value)));
    this.#stop = effect(() => {
      // the suggestions depend on it
      session.periods.value;
      session.players.value;
      clearTimeout(this.#waiting);
      this.suggested.value = null;
      if (session.isReading.value) return;
      if (this.#last.peek() === null) this.#look();
      else this.#waiting = setTimeout(() => this.#look(), QUIET_MS);
    });
  }

  /** Returns the periods as they were probably played. */
  now(): readonly SessionPeriod[] {
    if (this.suggested.peek() === null && !this.#session.isReading.peek()) this.#look();
    return this.lastKnown();
  }

  /** Returns the periods as they were probably played before a change that has not been examined. Follows the signals that it reads. */
  lastKnown(): readonly SessionPeriod[] {
    const last = this.#last.value;
    return last === null || this.isRefused(last) ? this.#session.periods.value : last.periods;
  }

  /** Returns whether all players count as playing for all of these periods, without individual times. */
  isRefused({ periods }: SuggestedSubstitutions): boolean {
    const session = this.#session;
    return isIgnored(session.ignored.value, refusalOf(session, "all played", periods));
  }

  end(): void {
    this.#stop();
    clearTimeout(this.#waiting);
  }

  #look(): void {
    clearTimeout(this.#waiting);
    const periods = this.#session.periods.peek();
    const known = periods.length > 0 ? periods : asSessionPeriods(this.fromPauses.peek());
    const suggested = suggestSubstitutions(known, this.#session.players.peek());
    this.#last.value = suggested;
    this.suggested.value = suggested;
  }
}
