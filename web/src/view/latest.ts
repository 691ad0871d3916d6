/**
 * Returns a function that runs `work`, but only once at a time. Calls during a run cause a single run after it. The last call is always
 * followed by a complete run, and calls do not queue up.
 */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isBusy = false;
  let isWanted = false;
  const run = async () => {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    try {
      while (isWanted) {
        isWanted = false;
        await work();
      }
    } finally {
      isBusy = false;
    }
  };
  return () => void run();
}
