import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onSchedule } from "./schedule.js";
import { type Latencies, Tally } from "./tally.js";

const START_TIMEOUT_MS = 30_000;

export interface BareFigures extends Latencies {
  bytes: number;
}

/**
 * Reads a single bare route with the same number of readers at the same rate.
 * @param file body of the responses, JSON
 */
export async function measureBare(
  file: string,
  {
    readers,
    everyMs,
    seconds,
    random,
  }: { readers: number; everyMs: number; seconds: number; random(): number },
): Promise<BareFigures> {
  const child = fork(fileURLToPath(new URL("./bare-process.ts", import.meta.url)), [file], {
    execArgv: ["--import", "tsx"],
  });
  const exited = once(child, "exit");
  try {
    const [url] = (await once(child, "message", { signal: AbortSignal.timeout(START_TIMEOUT_MS) })) as [
      string,
    ];
    const tally = new Tally();
    let bytes = 0;
    const ask = async (dueAtMs: number) => {
      const response = await fetch(url);
      const body = await response.arrayBuffer();
      tally.record("page of 3,000 samples", performance.now() - dueAtMs);
      bytes = body.byteLength;
      JSON.parse(Buffer.from(body).toString());
    };
    // Warm up.
    for (let i = 0; i < 50; i++) await ask(performance.now());
    tally.restart();
    const fromMs = performance.now();
    const schedule = { everyMs, random, fromMs, untilMs: fromMs + seconds * 1000 };
    await Promise.all(Array.from({ length: readers }, () => onSchedule(schedule, ask)));
    return { ...tally.reading, bytes };
  } finally {
    child.disconnect();
    await exited;
  }
}
