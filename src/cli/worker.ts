import { parentPort, threadId } from "node:worker_threads";
import { writeAsThread } from "../files/temporary-names.js";
import { convertInput } from "./convert-input.js";
import { DescribedError, type Failure, failureOf } from "./problem.js";
import type { FromWorker, ToWorker } from "./workers.js";

const PROGRESS_EVERY_MS = 100;

/** What a worker thread does: converts the files it is told, one after another. */
export function serve(): void {
  writeAsThread(threadId);
  const controller = new AbortController();
  let onAnswer: (refusal: Failure | null) => void = () => {};
  parentPort?.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "convert":
        convert(message.task).then(
          (conversion) => post({ kind: "done", conversion }),
          (error) => post({ kind: "failed", failure: failureOf(error) }),
        );
        return;
      case "claimed":
        onAnswer(message.refusal);
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
      claim: (paths) =>
        new Promise((resolve, reject) => {
          onAnswer = (refusal) => (refusal === null ? resolve() : reject(new DescribedError(refusal)));
          post({ kind: "claim", paths });
        }),
    });
  };
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}
