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
    const hooks = {
      onProgress: (progress: number) => reply({ call, progress }),
      signal: controller.signal,
    };
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
