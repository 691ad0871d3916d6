// Node.js emits `beforeExit` when the event loop is empty. A promise that only further reading by the caller can settle would
// then never settle, and the process would exit without an error.

interface NodeProcess {
  once(event: "beforeExit", listener: () => void): unknown;
  removeListener(event: "beforeExit", listener: () => void): unknown;
}

const { process: node } = globalThis as { process?: Partial<NodeProcess> };
const canTell = typeof node?.once === "function" && typeof node.removeListener === "function";

// Weak references: in a process that continues, a wait is garbage-collected together with its waiters.
const waiting = new Set<WeakRef<() => void>>();
const collected = canTell ? new FinalizationRegistry<WeakRef<() => void>>(remove) : null;

/**
 * Calls `giveUp` when the process has nothing left to do, on Node.js and compatible runtimes; never on others. Does not keep
 * `giveUp` alive.
 *
 * @returns a function that cancels the call; it keeps `giveUp` alive
 */
export function whenNothingIsLeft(giveUp: () => void): () => void {
  if (collected === null) return () => {};
  const reference = new WeakRef(giveUp);
  try {
    if (waiting.size === 0) node?.once?.("beforeExit", giveUpAll);
  } catch {
    // some platforms have functions of Node.js that throw when they are called
    return () => {};
  }
  waiting.add(reference);
  collected.register(giveUp, reference, giveUp);
  return () => {
    collected.unregister(giveUp);
    remove(reference);
  };
}

function remove(reference: WeakRef<() => void>): void {
  if (waiting.delete(reference) && waiting.size === 0) node?.removeListener?.("beforeExit", giveUpAll);
}

function giveUpAll(): void {
  const all = [...waiting];
  waiting.clear();
  for (const reference of all) reference.deref()?.();
}
