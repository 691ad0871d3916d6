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
  | { name: "failed"; error: unknown };

interface Target {
  client: Client;
  session: number;
  /** The players by the ids of the athletes. */
  names: ReadonlyMap<number, string>;
  /** The rows stored by the service. */
  saved: Rows;
  tag: string | null;
}

/** Saves every change to the periods of a session, including those by "Undo" of the squad view. */
export class PeriodSaver {
  readonly saving: Signal<Saving> = signal({ name: "saved", isFirst: true });
  readonly #target: Target;
  #periods: ReadonlySignal<readonly SessionPeriod[]> | null = null;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  readonly #save = oneAtATime(() => this.#put());

  constructor(target: Target) {
    this.#target = { ...target };
  }

  /**
   * Saves changes to these periods.
   * @returns a function that saves the last change and then stops
   */
  follow(periods: ReadonlySignal<readonly SessionPeriod[]>): () => void {
    this.#periods = periods;
    const stop = effect(() => {
      const isSame = this.#isSaved(rowsOfPeriods(periods.value, this.#target.names));
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

  #isSaved(rows: Rows): boolean {
    return JSON.stringify(rows) === JSON.stringify(this.#target.saved);
  }

  async #put(): Promise<void> {
    const { client, session, names, tag } = this.#target;
    const body = rowsOfPeriods(this.#periods?.peek() ?? [], names);
    try {
      if (!this.#isSaved(body)) {
        const { data, error, response } = await client.PUT("/api/v2/sessions/{session}/periods/", {
          params: { path: { session } },
          headers: tag === null ? {} : { "If-Match": tag },
          body,
        });
        if (data === undefined) throw new ApiError(response, error);
        this.#target.saved = body;
        this.#target.tag = response.headers.get("ETag");
      }
      this.saving.value = { name: "saved", isFirst: false };
    } catch (error) {
      this.saving.value = { name: "failed", error };
    }
  }
}
