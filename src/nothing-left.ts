// Node.js tells when the event loop is empty: from then on nothing happens unless somebody who is told begins it. A wait
// for something that only others could bring about is then in vain, and the process would end without a word.

interface NodeProcess {
  once(event: "beforeExit", listener: () => void): unknown;
  removeListener(event: "beforeExit", listener: () => void): unknown;
}

const { process: node } = globalThis as { process?: Partial<NodeProcess> };
const canTell = typeof node?.once === "function" && typeof node.removeListener === "function";

// Held weakly: a wait that nobody can end, in a process that goes on, passes away with those who wait.
const waiting = new Set<WeakRef<() => void>>();
const passedAway = canTell ? new FinalizationRegistry<WeakRef<() => void>>(remove) : null;

/**
 * Calls `giveUp` when the process has nothing left to do: on Node.js and what is like it; elsewhere never. `giveUp` is not
 * kept alive. Returns what takes it back, and keeps `giveUp` alive.
 */
export function whenNothingIsLeft(giveUp: () => void): () => void {
  if (passedAway === null) return () => {};
  const reference = new WeakRef(giveUp);
  if (waiting.size === 0) node?.once?.("beforeExit", tellAll);
  waiting.add(reference);
  passedAway.register(giveUp, reference, giveUp);
  return () => {
    passedAway.unregister(giveUp);
    remove(reference);
  };
}

function remove(reference: WeakRef<() => void>): void {
  if (waiting.delete(reference) && waiting.size === 0) node?.removeListener?.("beforeExit", tellAll);
}

function tellAll(): void {
  const all = [...waiting];
  waiting.clear();
  for (const reference of all) reference.deref()?.();
}
