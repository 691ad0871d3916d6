import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import type { PreparedConversion } from "../../files/convert-file.js";
import { discardTemporaryFiles } from "../../files/temporary-names.js";
import { DescribedError, type Failure } from "../terminal/problem.js";
import type { ConvertTask } from "./convert-input.js";
import type { SessionTask, SessionWork } from "./session-work.js";
import type { Stats, StatsTask } from "./stats-input.js";

/** Tasks of threads: their message, and their result. */
export interface Work {
  /** The files belong to the receiver, who gives them their names. */
  convert: { task: ConvertTask; result: PreparedConversion };
  stats: { task: StatsTask; result: Stats };
  session: { task: SessionTask; result: SessionWork };
}

export type WorkKind = keyof Work;

/** Messages to a worker thread. */
export type ToWorker = { [K in WorkKind]: { kind: K; task: Work[K]["task"] } }[WorkKind] | { kind: "abort" };

/** What comes back. */
export type FromWorker =
  | { kind: "progress"; bytesRead: number }
  | { kind: "done"; result: Work[WorkKind]["result"] }
  | { kind: "failed"; failure: Failure };

/** Tells the program of the command that it runs as a thread. */
export const THREAD = "asi thread";

// The command itself, built as one file of CommonJS (tsup.config.ts). By its path: in a URL made of one, # and ? would mean something else.
const PROGRAM = __filename;

/** Threads that do one kind of work on files, started on demand. If a thread crashes, only its own file fails. */
export class Workers<K extends WorkKind> {
  readonly #kind: K;
  readonly #signal: AbortSignal;
  readonly #threads = new Set<Worker>();
  readonly #idle = new Set<Worker>();
  // temporary files that were handed over
  readonly #handedOver = new Set<string>();

  /** @param signal makes the threads stop and clean up */
  constructor(kind: K, signal: AbortSignal) {
    this.#kind = kind;
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort);
  }

  /** Works in a thread of its own. Throws DescribedError. */
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
            // of the kind that this class asked for
            resolve(message.result as Work[K]["result"]);
            return;
          case "failed":
            release();
            reject(new DescribedError(message.failure));
        }
      };
      // an error, if there is one, comes before the end
      let reason: string | null = null;
      const onError = (error: Error) => {
        reason = error.message;
      };
      const onExit = (code: number) => breakDown(reason ?? `it ended with ${code}`);
      // one by one: a Worker has listeners of its own
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

  /** Ends the threads; their work is done. */
  async end(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#abort);
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  #start(): Worker {
    const thread = new Worker(PROGRAM, { workerData: THREAD });
    this.#threads.add(thread);
    // Also of one that is idle: an error that nobody listens to would end the process.
    const forget = () => {
      this.#threads.delete(thread);
      this.#idle.delete(thread);
    };
    thread.on("error", forget).on("exit", forget);
    return thread;
  }

  // The unfinished file of the thread is beside the place of the CSV.
  #tidyUpAfter(thread: number, task: Work[WorkKind]["task"]): void {
    if (!("bounds" in task) || task.input.kind !== "file") return;
    try {
      discardTemporaryFiles(thread, task.options.outDir ?? dirname(task.input.path), this.#handedOver);
    } catch {
      // the folder was not made yet, or may not be read: then there is nothing, or nothing to be done
    }
  }

  readonly #abort = (): void => {
    for (const thread of this.#threads) post(thread, { kind: "abort" });
  };
}

function post(thread: Worker, message: ToWorker): void {
  thread.postMessage(message);
}
