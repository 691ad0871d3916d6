import type { RecordingReader, Reply, Request, RequestName, Requests } from "./messages.js";
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
    // the address is a TrustedScriptURL where the browser knows such; the type of Worker says string
    this.#worker = new Worker(allowedAddress(workerUrl) as string, { type: "module", name: "recordings" });
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#receive(data);
    this.#worker.onerror = () => this.#failAll("The page could not read the file. Load the page again.");
  }

  ask<Name extends RequestName>(
    name: Name,
    asked: Requests[Name]["asked"],
    onProgress?: (progress: number) => void,
  ): Promise<Requests[Name]["answered"]> {
    const call = ++this.#lastCall;
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject, onProgress });
      this.#worker.postMessage({ call, name, asked } as Request);
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

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

// The policy of the page allows scripts only from addresses that pass the policy `asi-worker`: this one passes.
function allowedAddress(address: string): unknown {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return address;
  const policy = trustedTypes.createPolicy("asi-worker", {
    createScriptURL(url) {
      if (url !== address) throw new TypeError("Only the worker of this page may be started.");
      return url;
    },
  });
  return policy.createScriptURL(address);
}
