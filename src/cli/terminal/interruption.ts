const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

// Maximum time for cleaning up, which usually takes milliseconds; after this time, the process ends.
const MAX_CLEAN_UP_MS = 3000;

/**
 * Runs `work` with a signal that is aborted when the process is interrupted. After the work has cleaned up, the same signal terminates the
 * process, so that a shell recognizes the interruption. A second signal ends the process immediately.
 */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let received: NodeJS.Signals | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    if (received !== null) endBy(signal);
    received = signal;
    controller.abort();
    setTimeout(() => endBy(signal), MAX_CLEAN_UP_MS).unref();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const stopListening = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  const endBy = (signal: NodeJS.Signals) => {
    stopListening();
    process.kill(process.pid, signal);
  };
  try {
    return await work(controller.signal);
  } finally {
    if (received === null) stopListening();
    else endBy(received);
  }
}
