import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Measurement, Message, Question } from "./service-process.js";

const START_TIMEOUT_MS = 120_000;
const ANSWER_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 40_000;

/** The service in the soak test. */
export interface SoakedService {
  url: string;
  clientId: string;
  clientSecret: string;
  /** Serial numbers of the devices. */
  devices: readonly string[];
  measure(): Promise<Measurement>;
  /** Sets the clock of the service a day ahead and removes expired data. */
  nextDay(): Promise<void>;
  stop(): Promise<void>;
}

/** @param databaseUrl URL of an empty PostgreSQL database; null for the embedded one in the folder */
export async function startSoakedService(folder: string, databaseUrl: string | null): Promise<SoakedService> {
  const child = fork(
    fileURLToPath(new URL("./service-process.ts", import.meta.url)),
    [folder, ...(databaseUrl === null ? [] : [databaseUrl])],
    { execArgv: ["--import", "tsx", "--expose-gc"] },
  );
  const exited = once(child, "exit");
  const pending = new Map<number | null, { resolve(message: Message): void; reject(error: Error): void }>();
  child.on("message", (message: Message) => {
    const waiting = pending.get(message.kind === "ready" ? null : message.id);
    if (message.kind === "failed") waiting?.reject(new Error(`The service failed: ${message.why}`));
    else waiting?.resolve(message);
  });
  child.on("exit", (code) => {
    for (const { reject } of pending.values()) reject(new Error(`The service ended with ${code}`));
  });
  const heard = async (id: number | null, timeoutMs: number): Promise<Message> => {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Message>((resolve, reject) => {
        pending.set(id, { resolve, reject });
        timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
      });
    } finally {
      clearTimeout(timer);
      pending.delete(id);
    }
  };
  const stop = async () => {
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  };
  let questions = 0;
  const ask = async (name: Question["name"]) => {
    const id = ++questions;
    child.send({ id, name } satisfies Question);
    const answer = await heard(id, ANSWER_TIMEOUT_MS);
    return answer.kind === "answer" ? answer.measurement : null;
  };
  const ready = await heard(null, START_TIMEOUT_MS).catch(async (error: unknown) => {
    child.kill("SIGKILL");
    await exited;
    throw error;
  });
  if (ready.kind !== "ready") throw new Error("The service did not start");
  return {
    ...ready,
    async measure() {
      const measurement = await ask("measure");
      if (measurement === null) throw new Error("The service has not measured itself");
      return measurement;
    },
    async nextDay() {
      await ask("nextDay");
    },
    stop,
  };
}
