import { trustedAddress } from "../view/trusted-address.js";
import type { Hooks, RecordingReader, Reply, Request, RequestName, Requests } from "./messages.js";
import { ReadingError } from "./reading-error.js";
import workerUrl from "./worker.ts?worker&url";

interface Call {
  resolve: (answered: never) => void;
  reject: (error: Error) => void;
  onProgress: ((progress: number) => void) | undefined;
}

/** The worker that reads recordings and draws tracks, as the page sees it. */
export class RecordingWorker implements RecordingReader {
  readonly canSave = true;
  readonly #worker: Worker;
  readonly #calls = new Map<number, Call>();
  #lastCall = 0;

  constructor() {
    this.#worker = new Worker(trustedAddress(workerUrl), { type: "module", name: "recordings" });
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#receive(data);
    this.#worker.onerror = () => this.#failAll("The page could not read the file. Load the page again.");
  }

  ask<Name extends RequestName>(
    name: Name,
    asked: Requests[Name]["asked"],
    { onProgress, signal }: Hooks = {},
  ): Promise<Requests[Name]["answered"]> {
    const call = ++this.#lastCall;
    const send = (request: Request) => this.#worker.postMessage(request);
    signal?.addEventListener("abort", () => {
      if (this.#calls.has(call)) send({ cancelled: call });
    });
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      this.#calls.set(call, { resolve, reject, onProgress });
      send({ call, name, asked } as Request);
    });
  }

  #receive(reply: Reply): void {
    const call = this.#calls.get(reply.call);
    if (call === undefined) return;
    if ("progress" in reply) {
      call.onProgress?.(reply.progress);
      return;
    }
    this.#calls.delete(reply.call);
    if ("failed" in reply) call.reject(new ReadingError(reply.failed));
    else call.resolve(reply.answered as never);
  }

  #failAll(message: string): void {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const { reject } of calls) {
      reject(new ReadingError({ code: null, message, byteOffset: null, line: null }));
    }
  }
}
