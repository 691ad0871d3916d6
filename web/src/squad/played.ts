import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import {
  asSessionPeriods,
  type SessionPeriod,
  type SuggestedPeriod,
  type SuggestedSubstitutions,
  suggestPeriods,
  suggestSubstitutions,
} from "asi-convert/squad";
import { areRefused } from "./clock/substitutions.js";
import type { SquadSession } from "./squad-session.js";

/** Periods are examined after they have not changed for this time, ms: not at each step of a drag. */
const QUIET_MS = 200;

/** When the players of a session were on the pitch: by its periods, and as suggested where these do not say it. */
export class Played {
  /** Periods that the common pauses suggest. */
  readonly fromPauses: ReadonlySignal<readonly SuggestedPeriod[]>;
  /** The periods of the session, else suggested ones, with times of players; null while unknown. */
  readonly suggested: Signal<SuggestedSubstitutions | null> = signal(null);
  /** The same; while unknown as before a change. */
  readonly #last: Signal<SuggestedSubstitutions | null> = signal(null);
  readonly #session: SquadSession;
  readonly #stop: () => void;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(session: SquadSession) {
    this.#session = session;
    this.fromPauses = computed(() => (session.isReading.value ? [] : suggestPeriods(session.players.value)));
    this.#stop = effect(() => {
      // what is suggested depends on it
      session.periods.value;
      session.players.value;
      clearTimeout(this.#waiting);
      this.suggested.value = null;
      if (session.isReading.value) return;
      if (this.#last.peek() === null) this.#look();
      else this.#waiting = setTimeout(() => this.#look(), QUIET_MS);
    });
  }

  /** The periods as they were probably played. */
  now(): readonly SessionPeriod[] {
    if (this.suggested.peek() === null && !this.#session.isReading.peek()) this.#look();
    return this.lastKnown();
  }

  /** The same, as it was before a change that has not been examined yet. Follows the signals that it reads. */
  lastKnown(): readonly SessionPeriod[] {
    const last = this.#last.value;
    return last === null || areRefused(this.#session, last) ? this.#session.periods.value : last.periods;
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
