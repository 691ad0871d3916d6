import { AsiError } from "asi-convert";
import { type CallReply, type CallRequest, type Failure, ReadingError, type RequestTable } from "./calls.js";

/** What a worker does while it answers. */
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

/** Has this worker answer the calls of the page. */
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
      // the name and what is asked belong together, which the type of the table cannot say
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

/** How browsers say that a file on the disk is no longer what was chosen. */
const UNREADABLE = new Set(["NotFoundError", "NotReadableError"]);

function failureOf(error: unknown): Failure {
  if (error instanceof AsiError) {
    const { code, message, byteOffset, line } = error;
    return { code, message, byteOffset: byteOffset ?? null, line: line ?? null };
  }
  if (error instanceof ReadingError) return error.failure;
  if (error instanceof DOMException && UNREADABLE.has(error.name)) {
    const message =
      "The browser can no longer read the file: it was moved, changed or removed. Choose it again.";
    return { code: null, message, byteOffset: null, line: null };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: null, message, byteOffset: null, line: null };
}
