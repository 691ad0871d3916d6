/** Interval of the messages during a wait, ms. */
const SAID_EVERY_MS = 3_000;

/**
 * Prints a message periodically while work takes long, so that a waiting process does not seem to hang.
 * @param what what the process waits for, as part of the message
 */
export async function announceWaiting<T>(
  what: string,
  work: () => Promise<T>,
  { everyMs = SAID_EVERY_MS, say = (line: string) => console.log(line) } = {},
): Promise<T> {
  const start = performance.now();
  const timer = setInterval(() => {
    say(`asi-server waits for ${what}, for ${Math.round((performance.now() - start) / 1000)} s by now`);
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
