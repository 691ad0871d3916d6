import { type Interval, type MemberFigures, NO_FIGURES, type Player } from "asi-convert/squad";
import type { AskedOptions } from "../recording/squad/messages.js";
import type { OpenRecording } from "../recording/squad/squad-recording.js";
import type { SquadWorkers } from "./workers.js";

/** Identifies figures by player and times. */
export interface FigureQuestion {
  recordings: readonly OpenRecording[];
  name: string;
  player: Player | null;
  intervals: readonly Interval[] | null;
}

/** Limit of the cache, because each selection on the clock adds figures. */
const MOST_KEPT = 500;

/** Computed figures. A repeated selection of a period is then shown immediately. */
export class FigureCache {
  readonly #workers: SquadWorkers;
  readonly #kept = new Map<string, MemberFigures>();

  constructor(workers: SquadWorkers) {
    this.#workers = workers;
  }

  /** Returns the figures in the order of the questions. */
  async figuresOf(questions: readonly FigureQuestion[], options: AskedOptions): Promise<MemberFigures[]> {
    const keys = questions.map((question) => keyOf(question, options));
    // while the workers compute, a parallel call may delete figures of the cache
    const known = keys.map((key) => this.#kept.get(key));
    const missing = questions.filter((_, i) => known[i] === undefined);
    if (this.#kept.size + missing.length > MOST_KEPT) {
      for (const key of this.#kept.keys()) if (!keys.includes(key)) this.#kept.delete(key);
    }
    const found = missing.length > 0 ? [...(await this.#workers.figures(missing, options))] : [];
    return keys.map((key, i) => {
      const computed = known[i] ?? found.shift();
      if (computed !== undefined) this.#kept.set(key, computed);
      return computed ?? NO_FIGURES;
    });
  }
}

function keyOf(
  { recordings, player, intervals }: FigureQuestion,
  { preset, params, zones, recipes, optionalFigures }: AskedOptions,
): string {
  return JSON.stringify([
    recordings.map(({ id, shiftMs }) => [id, shiftMs]),
    intervals?.map(({ startMs, endMs }) => [startMs, endMs]) ?? null,
    player,
    zones,
    preset,
    params,
    recipes,
    optionalFigures,
  ]);
}
