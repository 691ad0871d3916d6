/** Tests run the service in their own process: whatever holds its event loop holds theirs. */
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";

/** The longest time for which the event loop stood still while `work` ran, ms. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  // Two turns before and after, so that what holds the very first or last one is seen as well.
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, 30));
  await work();
  await new Promise((resolve) => setTimeout(resolve, 30));
  delay.disable();
  return delay.max / 1e6;
}

/** A client in a thread of its own, so that what it does holds no event loop that is measured. */
const CLIENT = `
const { parentPort, workerData } = require("node:worker_threads");
fetch(workerData.url, workerData.request)
  .then(async (response) => ({ status: response.status, text: await response.text() }))
  .then((answer) => parentPort.postMessage(answer));
`;

/** Posts JSON from another thread. */
export async function postFromThread(
  url: string,
  body: Uint8Array,
  token?: string,
): Promise<{ status: number; text: string }> {
  const headers = {
    "Content-Type": "application/json",
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  const worker = new Worker(CLIENT, {
    eval: true,
    workerData: { url, request: { method: "POST", headers, body } },
  });
  const [answer] = await once(worker, "message");
  await worker.terminate();
  return answer;
}
