/** Interval of the messages during a wait, ms. */
const SAID_EVERY_MS = 3_000;

/**
 * Prints a message periodically during long work, because a silent process would seem to hang.
 * @param what object of "waiting for" in the message
 */
export async function announceWaiting<T>(
  what: string,
  work: () => Promise<T>,
  { everyMs = SAID_EVERY_MS, say = (line: string) => console.log(line) } = {},
): Promise<T> {
  const start = performance.now();
  const timer = setInterval(() => {
    say(
      `asi-server is still waiting for ${what} (${Math.round((performance.now() - start) / 1000)} s so far)`,
    );
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
