import { Worker } from "node:worker_threads";
import type { FileConversion } from "../files/convert-file.js";
import type { ConvertHooks, ConvertTask } from "./convert-input.js";
import { DescribedError, type Failure, failureOf } from "./problem.js";

/** What goes to a worker thread. */
export type ToWorker =
  | { kind: "convert"; task: ConvertTask }
  /** answer to a claim; null: granted */
  | { kind: "claimed"; refusal: Failure | null }
  | { kind: "abort" };

/** What comes back. */
export type FromWorker =
  | { kind: "progress"; bytesRead: number }
  | { kind: "claim"; paths: readonly string[] }
  | { kind: "done"; conversion: FileConversion }
  | { kind: "failed"; failure: Failure };

// Built beside the command (tsup.config.ts).
const PROGRAM = new URL("./worker.cjs", import.meta.url);

/** Threads that convert files, started when they are needed. A thread that breaks down costs its own file only. */
export class ConvertWorkers {
  readonly #signal: AbortSignal;
  readonly #threads = new Set<Worker>();
  readonly #idle: Worker[] = [];

  /** @param signal makes the threads stop and clean up */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort);
  }

  /** Converts in a thread of its own. Throws DescribedError. */
  convert(task: ConvertTask, hooks: ConvertHooks): Promise<FileConversion> {
    const thread = this.#idle.pop() ?? this.#start();
    return new Promise<FileConversion>((resolve, reject) => {
      const onMessage = (message: FromWorker) => {
        switch (message.kind) {
          case "progress":
            hooks.onProgress(message.bytesRead);
            return;
          case "claim":
            hooks.claim(message.paths).then(
              () => post(thread, { kind: "claimed", refusal: null }),
              (error) => post(thread, { kind: "claimed", refusal: failureOf(error) }),
            );
            return;
          case "done":
            release();
            resolve(message.conversion);
            return;
          case "failed":
            release();
            reject(new DescribedError(message.failure));
        }
      };
      const onError = (error: Error) => breakDown(error.message);
      const onExit = (code: number) => breakDown(`it ended with ${code}`);
      // one by one: a Worker has listeners of its own
      const stopListening = () => {
        thread.off("message", onMessage).off("error", onError).off("exit", onExit);
      };
      const release = () => {
        stopListening();
        this.#idle.push(thread);
      };
      const breakDown = (reason: string) => {
        stopListening();
        this.#threads.delete(thread);
        const message = `The worker thread broke down: ${reason}. The file may convert without --jobs.`;
        reject(new DescribedError({ error: { code: "WORKER_FAILED", message } }));
      };
      thread.on("message", onMessage).on("error", onError).on("exit", onExit);
      post(thread, { kind: "convert", task });
      if (this.#signal.aborted) post(thread, { kind: "abort" });
    });
  }

  /** Ends the threads; their work is done. */
  async end(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#abort);
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  #start(): Worker {
    const thread = new Worker(PROGRAM);
    this.#threads.add(thread);
    return thread;
  }

  readonly #abort = (): void => {
    for (const thread of this.#threads) post(thread, { kind: "abort" });
  };
}

function post(thread: Worker, message: ToWorker): void {
  thread.postMessage(message);
}
