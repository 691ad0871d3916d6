/** How often a start says that it still waits, ms. */
const SAID_EVERY_MS = 3_000;

/**
 * Logs periodically that work takes long, so that a waiting process is not mistaken for one that hangs.
 * @param what the process waits for
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
