import { parentPort, threadId } from "node:worker_threads";
import { writeAsThread } from "../files/temporary-names.js";
import { convertInput } from "./convert-input.js";
import { failureOf } from "./problem.js";
import type { FromWorker, ToWorker } from "./workers.js";

const PROGRESS_EVERY_MS = 100;

/** What a worker thread does: converts the files it is told, one after another. */
export function serve(): void {
  writeAsThread(threadId);
  const controller = new AbortController();
  parentPort?.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "convert":
        convert(message.task).then(
          (prepared) => post({ kind: "done", prepared }),
          (error) => post({ kind: "failed", failure: failureOf(error) }),
        );
        return;
      case "abort":
        controller.abort();
    }
  });

  const convert = (task: Extract<ToWorker, { kind: "convert" }>["task"]) => {
    let toldAt = performance.now();
    return convertInput(task, {
      signal: controller.signal,
      onProgress(bytesRead) {
        const now = performance.now();
        if (now - toldAt < PROGRESS_EVERY_MS) return;
        toldAt = now;
        post({ kind: "progress", bytesRead });
      },
    });
  };
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}
