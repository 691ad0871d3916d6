import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ApiError, type Client, type Resource } from "asi-client";
import type { SessionPeriod } from "asi-convert/squad";
import { oneAtATime } from "../../view/latest.js";
import { rowsOfPeriods } from "./stored-periods.js";

type Rows = Resource["SessionPeriods"];

/** Periods are saved after this time without a change. Steps of a drag are not saved. */
const QUIET_MS = 800;

/** State of the last change. */
export type Saving =
  | { name: "saved"; isFirst: boolean }
  | { name: "saving" }
  | { name: "failed"; error: unknown }
  /** The service refuses the times of these athletes, who are not in the squad at the time of the session. */
  | { name: "refused"; athletes: readonly number[] };

interface Target {
  client: Client;
  session: number;
  /** The players by the ids of the athletes. */
  names: ReadonlyMap<number, string>;
  tag: string | null;
}

/** Saves every change to the periods of a session, including those by "Undo" of the squad view. */
export class PeriodSaver {
  readonly saving: Signal<Saving> = signal({ name: "saved", isFirst: true });
  readonly #target: Target;
  /** The rows of the last periods that the service has stored. */
  #saved: Rows = [];
  /** The athletes whose rows are not sent. */
  readonly #omitted = new Set<number>();
  #periods: ReadonlySignal<readonly SessionPeriod[]> | null = null;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  readonly #save = oneAtATime(() => this.#put());

  constructor(target: Target) {
    this.#target = { ...target };
  }

  /**
   * Saves changes to these periods. The periods at the time of the call are those that the service has stored.
   * @returns a function that saves the last change and then stops
   */
  follow(periods: ReadonlySignal<readonly SessionPeriod[]>): () => void {
    this.#periods = periods;
    this.#saved = this.#rowsOf(periods.peek());
    const stop = effect(() => {
      const isSame = this.#isSaved(this.#rowsOf(periods.value));
      clearTimeout(this.#waiting);
      if (isSame && this.saving.peek().name === "saved") return;
      this.saving.value = { name: "saving" };
      this.#waiting = setTimeout(this.#save, QUIET_MS);
    });
    return () => {
      stop();
      clearTimeout(this.#waiting);
      if (this.saving.peek().name === "saving") this.#save();
    };
  }

  retry(): void {
    this.saving.value = { name: "saving" };
    this.#save();
  }

  /** Saves the periods without the times of these athletes. */
  saveWithout(athletes: readonly number[]): void {
    for (const athlete of athletes) this.#omitted.add(athlete);
    this.retry();
  }

  #rowsOf(periods: readonly SessionPeriod[]): Rows {
    return rowsOfPeriods(periods, this.#target.names).filter(
      ({ athlete }) => athlete === null || !this.#omitted.has(athlete),
    );
  }

  #isSaved(rows: Rows): boolean {
    return JSON.stringify(rows) === JSON.stringify(this.#saved);
  }

  async #put(): Promise<void> {
    const { client, session, tag } = this.#target;
    const body = this.#rowsOf(this.#periods?.peek() ?? []);
    try {
      if (!this.#isSaved(body)) {
        const { data, error, response } = await client.PUT("/api/v2/sessions/{session}/periods/", {
          params: { path: { session } },
          headers: tag === null ? {} : { "If-Match": tag },
          body,
        });
        if (data === undefined) throw new ApiError(response, error);
        this.#saved = body;
        this.#target.tag = response.headers.get("ETag");
      }
      this.saving.value = { name: "saved", isFirst: false };
    } catch (error) {
      const athletes = refusedAthletes(error, body);
      this.saving.value = athletes.length > 0 ? { name: "refused", athletes } : { name: "failed", error };
    }
  }
}

/** Returns the athletes whom the service refuses in rows, such as `3.athlete`. The list is empty for other errors. */
function refusedAthletes(error: unknown, rows: Rows): number[] {
  if (!(error instanceof ApiError)) return [];
  const { errors = [] } = Object(error.body) as { errors?: { field: string }[] };
  const found = errors.map(({ field }) => rows[Number(/^(\d+)\.athlete$/.exec(field)?.[1])]?.athlete ?? null);
  return [...new Set(found.filter((athlete) => athlete !== null))];
}
