import { Piscina } from "piscina";
import type {
  CellSheet,
  CellTable,
  ComputationTask,
  ComputedTexts,
  ComputePool,
  PlayerFigures,
  PlayerTask,
} from "../../change/compute-pool.js";
import { ComputationQueue } from "./queue.js";
import { threadProgram } from "./thread-program.js";

type Task = ComputationTask | PlayerTask | CellTable | readonly CellSheet[];

/** Time after which an idle thread ends. An idle thread takes tens of MB, and a new thread starts in 100 ms. */
const IDLE_MS = 10_000;

/**
 * Samples are in typed arrays outside the heap, so a small heap suffices. Without this limit it grows by 48 MB between garbage
 * collections.
 */
const YOUNG_GENERATION_MB = 16;

/**
 * Starts threads on demand, at most `threads`.
 * @param refusal creates the error that callers receive when too many computations are waiting
 * @param idleMs time after which an idle thread ends
 */
export function startComputer(
  threads: number,
  refusal: (retryAfterMs: number) => Error,
  idleMs = IDLE_MS,
): ComputePool {
  let pool: Piscina<Task, ComputedTexts | Map<string, PlayerFigures> | string | Uint8Array> | undefined;
  const threadPool = () => {
    pool ??= new Piscina({
      ...threadProgram,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: idleMs,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    return pool;
  };
  const queue = new ComputationQueue(threads, refusal);
  return {
    share: (key, waiter, work) => queue.share(key, waiter, work),
    compute: (task) => threadPool().run(task) as Promise<ComputedTexts>,
    computePlayer: (task) =>
      threadPool().run(task, { name: "runPlayerTask" }) as Promise<Map<string, PlayerFigures>>,
    writeCsv: (table) => threadPool().run(table, { name: "writeCsv" }) as Promise<string>,
    writeParquet: (table) => threadPool().run(table, { name: "writeParquet" }) as Promise<Uint8Array>,
    writeWorkbook: (sheets) => threadPool().run(sheets, { name: "writeWorkbook" }) as Promise<Uint8Array>,
    get threads() {
      return pool?.threads.length ?? 0;
    },
    async close() {
      await pool?.destroy();
    },
  };
}
