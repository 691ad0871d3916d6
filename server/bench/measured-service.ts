import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { CommandName, Commands, Message } from "./commands.js";
import { resetPeak, residentMb } from "./process-memory.js";

const START_TIMEOUT_MS = 60_000;

/** A service in a separate process. */
export interface MeasuredService {
  url: string;
  token: string;
  ask<Name extends CommandName>(
    name: Name,
    takes: Commands[Name]["takes"],
    timeoutMs: number,
  ): Promise<Commands[Name]["gives"]>;
  /** Current resident memory, MB. Resets the peak. NaN if the system does not report it. */
  markMemory(): number;
  /** Peak of the resident memory since the last reset, MB. */
  peakMemory(): number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Ends all services immediately. */
export function killServices(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** @param databaseUrl a PostgreSQL database; null for a new embedded one */
export async function startMeasuredService(databaseUrl: string | null): Promise<MeasuredService> {
  const child = fork(
    fileURLToPath(new URL("./service-process.ts", import.meta.url)),
    databaseUrl === null ? [] : [databaseUrl],
    // In JSON, NaN would arrive as null.
    { execArgv: ["--import", "tsx"], serialization: "advanced" },
  );
  running.add(child);
  const exited = once(child, "exit").then(() => running.delete(child));
  const pending = new Map<number | null, { resolve(message: Message): void; reject(error: Error): void }>();
  child.on("message", (message: Message) => {
    const waiting = pending.get(message.kind === "ready" ? null : message.id);
    if (message.kind === "failed") waiting?.reject(new Error(`The measured service failed: ${message.why}`));
    else waiting?.resolve(message);
  });
  child.on("exit", (code) => {
    for (const { reject } of pending.values()) reject(new Error(`The measured service ended with ${code}`));
  });
  const heard = async (id: number | null, what: string, timeoutMs: number): Promise<Message> => {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Message>((resolve, reject) => {
        pending.set(id, { resolve, reject });
        timer = setTimeout(() => reject(new Error(`${what}: no answer in ${timeoutMs} ms`)), timeoutMs);
      });
    } finally {
      clearTimeout(timer);
      pending.delete(id);
    }
  };
  const ready = await heard(null, "start", START_TIMEOUT_MS);
  if (ready.kind !== "ready") throw new Error("The measured service did not start");

  let questions = 0;
  return {
    url: ready.url,
    token: ready.token,
    async ask(name, takes, timeoutMs) {
      const id = ++questions;
      child.send({ id, name, takes });
      const answer = await heard(id, name, timeoutMs);
      return (answer.kind === "answer" ? answer.gives : null) as never;
    },
    markMemory() {
      resetPeak(child.pid);
      return residentMb(child.pid, "current");
    },
    peakMemory: () => residentMb(child.pid, "peak"),
    async stop() {
      child.disconnect();
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await exited;
      clearTimeout(timer);
    },
  };
}
