import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type { Match } from "./truth.js";

/** Input of a worker thread. */
export interface Recorded {
  serial: string;
  match: Match;
}

/** The worker thread. It does not keep the process running while it is idle. */
const thread = new Piscina<Recorded, Uint8Array<ArrayBuffer>>({
  filename: fileURLToPath(new URL("./recorder-thread.ts", import.meta.url)),
  execArgv: ["--import", "tsx"],
  maxThreads: 1,
});

/**
 * Creates the recording of a device in a worker thread, because encoding blocks the event loop for milliseconds and would delay
 * due calls.
 */
export const record = (serial: string, match: Match): Promise<Uint8Array<ArrayBuffer>> =>
  thread.run({ serial, match });
