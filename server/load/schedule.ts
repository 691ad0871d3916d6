import { setTimeout as sleep } from "node:timers/promises";

export interface Schedule {
  /** Mean interval between calls, ms. */
  everyMs: number;
  /** Random numbers from 0 to 1, for the times of the calls. */
  random(): number;
  /** First and last possible due time, by `performance.now()`. */
  fromMs: number;
  untilMs: number;
}

/** Time after the end during which delayed calls are still made. */
const BACKLOG_MS = 30_000;

/**
 * Makes calls one after another at random times (a Poisson process). A call that waits for the previous one keeps its
 * due time. Measurements from the due time therefore include the delay caused by a slow response.
 * @param call receives its due time, by `performance.now()`
 * @returns number of due calls that were not made when the backlog was abandoned
 */
export async function onSchedule(
  { everyMs, random, fromMs, untilMs }: Schedule,
  call: (dueAtMs: number) => Promise<void>,
): Promise<number> {
  const next = () => -Math.log(1 - random()) * everyMs;
  let unmade = 0;
  for (let dueAtMs = fromMs + next(); dueAtMs < untilMs; dueAtMs += next()) {
    if (performance.now() > untilMs + BACKLOG_MS) {
      unmade++;
      continue;
    }
    const waitMs = dueAtMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    await call(dueAtMs);
  }
  return unmade;
}
