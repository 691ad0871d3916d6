import { setTimeout as sleep } from "node:timers/promises";

export interface Schedule {
  /** Mean time from one call to the next, ms. */
  everyMs: number;
  /** Numbers from 0 to 1, for the times of the calls. */
  random(): number;
  /** First and last instant at which a call can be due, by `performance.now()`. */
  fromMs: number;
  untilMs: number;
}

/** How long after the end calls that were due before it are still made. */
const BACKLOG_MS = 30_000;

/**
 * Makes calls one after the other at random times (a Poisson process). A call that has to wait for the one before it is still due
 * at its own time: whoever measures from there does not leave out the waiting that a slow answer causes.
 * @param call gets the time at which it is due, by `performance.now()`
 * @returns number of calls that were due but not made before the backlog was given up
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
