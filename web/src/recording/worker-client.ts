import { trustedAddress } from "../view/trusted-address.js";
import { type CallReply, type CallRequest, type Hooks, ReadingError, type RequestTable } from "./calls.js";

interface Call {
  resolve: (answered: never) => void;
  reject: (error: Error) => void;
  onProgress: ((progress: number) => void) | undefined;
}

/** The page's side of a worker that answers calls. */
export class WorkerClient<Table extends RequestTable<Table>> {
  readonly #worker: Worker;
  readonly #calls = new Map<number, Call>();
  #lastCall = 0;

  /** @param address of the script, which belongs to the page */
  constructor(address: string, name: string) {
    this.#worker = new Worker(trustedAddress(address), { type: "module", name });
    this.#worker.onmessage = ({ data }: MessageEvent<CallReply>) => this.#receive(data);
    this.#worker.onerror = () => this.#failAll("The page could not read the file. Load the page again.");
  }

  ask<Name extends keyof Table & string>(
    name: Name,
    asked: Table[Name]["asked"],
    { onProgress, signal }: Hooks = {},
  ): Promise<Table[Name]["answered"]> {
    const call = ++this.#lastCall;
    const send = (request: CallRequest) => this.#worker.postMessage(request);
    signal?.addEventListener("abort", () => {
      if (this.#calls.has(call)) send({ cancelled: call });
    });
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      this.#calls.set(call, { resolve, reject, onProgress });
      send({ call, name, asked });
    });
  }

  /** Ends the worker and frees its data. Pending calls fail. */
  end(): void {
    this.#worker.terminate();
    this.#failAll("The files are closed.");
  }

  #receive(reply: CallReply): void {
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
