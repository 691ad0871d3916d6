/**
 * Runs one piece of work at a time. Of the calls during a run, only the last is run after it, so that the last request is what is
 * done last, and nothing piles up.
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
