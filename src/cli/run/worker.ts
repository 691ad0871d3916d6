import { parentPort, threadId } from "node:worker_threads";
import { writeAsThread } from "../../files/temporary-names.js";
import { failureOf } from "../terminal/problem.js";
import { convertInput } from "./convert-input.js";
import type { FromWorker, ToWorker, Work, WorkKind } from "./workers.js";

const PROGRESS_EVERY_MS = 100;

/** Runs in a worker thread, which processes files one after another. */
export function serve(): void {
  writeAsThread(threadId);
  const controller = new AbortController();
  const { signal } = controller;
  parentPort?.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "convert":
        return answer(convertInput(message.task, { signal, onProgress: progressOf() }));
      case "stats":
        return answer(
          import("./stats-input.js").then(({ statsOf }) =>
            statsOf(message.task, { signal, onProgress: progressOf() }),
          ),
        );
      case "session":
        return answer(
          import("./session-work.js").then(({ workOnSession }) =>
            workOnSession(message.task, { signal, onProgress: progressOf() }),
          ),
        );
      case "abort":
        controller.abort();
    }
  });
}

function answer(work: Promise<Work[WorkKind]["result"]>): void {
  work.then(
    (result) => post({ kind: "done", result }),
    (error) => post({ kind: "failed", failure: failureOf(error) }),
  );
}

/** Returns a function that reports the progress of one input at intervals. */
function progressOf(): (bytesRead: number) => void {
  let toldAt = performance.now();
  return (bytesRead) => {
    const now = performance.now();
    if (now - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = now;
    post({ kind: "progress", bytesRead });
  };
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}
