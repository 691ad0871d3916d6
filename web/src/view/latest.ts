/**
 * Runs work one at a time. Of the calls that come while it runs only one follows, so that what is asked for last is what is
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
