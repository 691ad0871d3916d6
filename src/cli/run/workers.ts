import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import type { PreparedConversion } from "../../files/convert-file.js";
import { discardTemporaryFiles } from "../../files/temporary-names.js";
import { DescribedError, type Failure } from "../terminal/problem.js";
import type { ConvertTask } from "./convert-input.js";
import type { SessionTask, SessionWork } from "./session-work.js";
import type { Stats, StatsTask } from "./stats-input.js";

/** Kinds of work for threads, each with its task and result. */
export interface Work {
  /** The receiver of the result owns the files and renames them. */
  convert: { task: ConvertTask; result: PreparedConversion };
  stats: { task: StatsTask; result: Stats };
  session: { task: SessionTask; result: SessionWork };
}

export type WorkKind = keyof Work;

/** Messages that a worker thread receives. */
export type ToWorker = { [K in WorkKind]: { kind: K; task: Work[K]["task"] } }[WorkKind] | { kind: "abort" };

/** Messages that a worker thread sends. */
export type FromWorker =
  | { kind: "progress"; bytesRead: number }
  | { kind: "done"; result: Work[WorkKind]["result"] }
  | { kind: "failed"; failure: Failure };

/** The worker data that make the program run as a thread. */
export const THREAD = "asi thread";

// The command itself, built as one CommonJS file (tsup.config.ts). It is a path, because # and ? would have a different
// meaning in a URL.
const PROGRAM = __filename;

/**
 * Worker threads that process files with one kind of work. They are started on demand. If a thread crashes, only its current file fails.
 */
export class Workers<K extends WorkKind> {
  readonly #kind: K;
  readonly #signal: AbortSignal;
  readonly #threads = new Set<Worker>();
  readonly #idle = new Set<Worker>();
  // Temporary files that a thread has passed to the main thread.
  readonly #handedOver = new Set<string>();

  /** @param signal stops the threads, which then clean up */
  constructor(kind: K, signal: AbortSignal) {
    this.#kind = kind;
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort);
  }

  /**
   * Runs a task in a thread.
   * @throws DescribedError
   */
  run(task: Work[K]["task"], onProgress: (bytesRead: number) => void): Promise<Work[K]["result"]> {
    const [thread = this.#start()] = this.#idle;
    this.#idle.delete(thread);
    const number = thread.threadId;
    return new Promise((resolve, reject) => {
      const onMessage = (message: FromWorker) => {
        switch (message.kind) {
          case "progress":
            onProgress(message.bytesRead);
            return;
          case "done":
            release();
            if ("temporaryPaths" in message.result)
              for (const path of message.result.temporaryPaths) this.#handedOver.add(path);
            // the result of the kind of task that was sent
            resolve(message.result as Work[K]["result"]);
            return;
          case "failed":
            release();
            reject(new DescribedError(message.failure));
        }
      };
      // an error is reported before the end of the thread
      let reason: string | null = null;
      const onError = (error: Error) => {
        reason = error.message;
      };
      const onExit = (code: number) => breakDown(reason ?? `it ended with ${code}`);
      // removes only its own listeners, because a Worker has internal ones
      const stopListening = () => {
        thread.off("message", onMessage).off("error", onError).off("exit", onExit);
      };
      const release = () => {
        stopListening();
        this.#idle.add(thread);
      };
      const breakDown = (reason: string) => {
        stopListening();
        this.#tidyUpAfter(number, task);
        const message = `The worker thread crashed: ${reason}. Try the file with --jobs 1.`;
        reject(new DescribedError({ error: { code: "WORKER_FAILED", message } }));
      };
      thread.on("message", onMessage).on("error", onError).on("exit", onExit);
      post(thread, { kind: this.#kind, task } as ToWorker);
      if (this.#signal.aborted) post(thread, { kind: "abort" });
    });
  }

  /** Ends the threads after all tasks are done. */
  async end(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#abort);
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  #start(): Worker {
    const thread = new Worker(PROGRAM, { workerData: THREAD });
    this.#threads.add(thread);
    // Idle threads also need this listener, because an unhandled error event would end the process.
    const forget = () => {
      this.#threads.delete(thread);
      this.#idle.delete(thread);
    };
    thread.on("error", forget).on("exit", forget);
    return thread;
  }

  // Removes the unfinished file of a thread, which is in the folder of the output.
  #tidyUpAfter(thread: number, task: Work[WorkKind]["task"]): void {
    if (!("bounds" in task) || task.input.kind !== "file") return;
    try {
      discardTemporaryFiles(thread, task.options.outDir ?? dirname(task.input.path), this.#handedOver);
    } catch {
      // the folder does not exist or is not readable, so there is nothing to remove
    }
  }

  readonly #abort = (): void => {
    for (const thread of this.#threads) post(thread, { kind: "abort" });
  };
}

function post(thread: Worker, message: ToWorker): void {
  thread.postMessage(message);
}
