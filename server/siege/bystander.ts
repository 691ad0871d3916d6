import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Party } from "./scene.js";

/** Measurements of the bystander between two reports. */
export interface Experience {
  /** Times of the requests, from the due time to the last byte of the response, ms. */
  latenciesMs: number[];
  /** The slowest request, such as `GET /api/v1/account/`; null if there was none. */
  slowest: { request: string; latencyMs: number } | null;
  /** Unexpected responses, such as `GET /api/v1/account/: 503`. */
  errors: string[];
  /** Times from the response to a change until the webhook call, ms. */
  webhookDelaysMs: number[];
  /** Number of requests that were sent again because the service had closed the connection. */
  resent: number;
}

export interface Order {
  url: string;
  party: Party;
  /** A small recording to convert, base64. */
  recordingBase64: string;
}

/** An ordinary user. It runs in a separate process, because the attackers would affect its measurements. */
export interface Bystander {
  /** @returns the measurements since the last call */
  experience(): Promise<Experience>;
  stop(): void;
}

const running = new Set<ChildProcess>();

export function killBystanders(): void {
  for (const child of running) child.kill("SIGKILL");
}

export async function startBystander(order: Order): Promise<Bystander> {
  const child = fork(fileURLToPath(new URL("./bystander-process.ts", import.meta.url)), [], {
    execArgv: ["--import", "tsx"],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.send(order);
  await once(child, "message");
  return {
    async experience() {
      child.send("experience");
      const [experience] = await once(child, "message");
      return experience as Experience;
    },
    stop() {
      child.kill("SIGKILL");
    },
  };
}
