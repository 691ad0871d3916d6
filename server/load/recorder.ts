import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type { Match } from "./truth.js";

/** What a thread gets. */
export interface Recorded {
  serial: string;
  match: Match;
}

/** An idle thread does not keep the process running. */
const thread = new Piscina<Recorded, Uint8Array<ArrayBuffer>>({
  filename: fileURLToPath(new URL("./recorder-thread.ts", import.meta.url)),
  execArgv: ["--import", "tsx"],
  maxThreads: 1,
});

/**
 * The recording of a device. It is made in a thread: encoding holds the event loop for milliseconds at a time, and calls that are due
 * meanwhile would be late.
 */
export const record = (serial: string, match: Match): Promise<Uint8Array<ArrayBuffer>> =>
  thread.run({ serial, match });
