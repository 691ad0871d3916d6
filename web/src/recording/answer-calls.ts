import { AsiError } from "asi-convert";
import { type CallReply, type CallRequest, type Failure, ReadingError, type RequestTable } from "./calls.js";

/** Functions that a handler in the worker uses while it computes an answer. */
export interface AnswerHooks {
  onProgress: (progress: number) => void;
  signal: AbortSignal;
}

export type Handlers<Table extends RequestTable<Table>> = {
  [Name in keyof Table]: (
    asked: Table[Name]["asked"],
    hooks: AnswerHooks,
  ) => Table[Name]["answered"] | Promise<Table[Name]["answered"]>;
};

/** Least interval of messages about progress, because the page draws after each of them. A file of 150 MB arrives in hundreds of pieces. */
const PROGRESS_EVERY_MS = 100;

/** Makes this worker answer the calls of the page. */
export function answerCalls<Table extends RequestTable<Table>>(handlers: Handlers<Table>): void {
  const reply = (message: CallReply, transfer: Transferable[] = []) =>
    self.postMessage(message, { transfer });
  const running = new Map<number, AbortController>();
  self.onmessage = async ({ data }: MessageEvent<CallRequest>) => {
    if ("cancelled" in data) {
      running.get(data.cancelled)?.abort();
      return;
    }
    const { call, name, asked } = data;
    const controller = new AbortController();
    running.set(call, controller);
    let toldMs = Number.NEGATIVE_INFINITY;
    const onProgress = (progress: number) => {
      const nowMs = performance.now();
      if (nowMs - toldMs < PROGRESS_EVERY_MS) return;
      toldMs = nowMs;
      reply({ call, progress });
    };
    const hooks = { onProgress, signal: controller.signal };
    try {
      // The name and the argument match. The type of the table cannot express that.
      const handler = handlers[name as keyof Table] as (asked: unknown, hooks: AnswerHooks) => unknown;
      const answered = await handler(asked, hooks);
      reply({ call, answered }, answered instanceof Uint8ClampedArray ? [answered.buffer] : []);
    } catch (error) {
      reply({ call, failed: failureOf(error) });
    } finally {
      running.delete(call);
    }
  };
}

/** Names of browser errors for a file that has changed on disk since the user selected it. */
const UNREADABLE = new Set(["NotFoundError", "NotReadableError"]);

function failureOf(error: unknown): Failure {
  if (error instanceof AsiError) {
    const { code, message, byteOffset, line } = error;
    return { code, message, byteOffset: byteOffset ?? null, line: line ?? null };
  }
  if (error instanceof ReadingError) return error.failure;
  if (error instanceof DOMException && UNREADABLE.has(error.name)) {
    const message =
      "The browser can no longer read the file, because it was moved, changed or removed. Choose it again.";
    return { code: null, message, byteOffset: null, line: null };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: null, message, byteOffset: null, line: null };
}
