// Long synchronous work yields to the event loop, so that timers, signals and other tasks can run. The work of a whole
// thread is counted together, so many concurrent readings block the loop no longer than one.

const MAX_HOLD_MS = 16;

// Copied when the module loads, so that tests that replace timers later do not stop the reading.
const { setImmediate: immediate, setTimeout: timeout, MessageChannel: Channel } = globalThis;

// Node.js loads `performance` on first use, which takes milliseconds; its uptime is monotonic too, and needs no loading.
const clockMs = clock();

function clock(): () => number {
  const { process: node, performance: web } = globalThis as {
    process?: { uptime?: () => number };
    performance?: { now(): number };
  };
  const uptimeS = node?.uptime;
  if (typeof uptimeS === "function" && isAllowed(uptimeS)) return () => uptimeS() * 1000;
  return web === undefined ? Date.now : () => web.now();
}

/** Some platforms have functions of Node.js that throw when they are called. */
function isAllowed(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}

// When the current work started; null after the event loop has had a turn.
let busySinceMs: number | null = null;
// Number of turns of the event loop. Several tasks may run in one turn.
let turns = 0;

// The waiting tasks, in the order in which they continue. Each continues from its own task. Some platforms run no task of a
// request that has ended, so no task may depend on another one.
const waiting = new Set<object>();

/** Returns whether work has blocked the event loop long enough that `takeTurn` is due. Cheap enough to call at every step. */
export function isTurnDue(): boolean {
  if (busySinceMs === null) {
    busySinceMs = clockMs();
    inNextTurn(() => {});
    return false;
  }
  return isHoldOver();
}

/** Resolves after a turn of the event loop. Waiting tasks continue one by one; no turn is longer than the longest of them. */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    const place = {};
    let othersToAwait = waiting.size;
    waiting.add(place);
    const goOn = (): void => {
      const isNext = !waiting.has(place) || waiting.values().next().value === place;
      if (isHoldOver() || (!isNext && othersToAwait-- > 0)) {
        inNextTurn(goOn);
        return;
      }
      // the tasks before this one continue in their own task, or never
      for (const other of waiting) {
        waiting.delete(other);
        if (other === place) break;
      }
      busySinceMs ??= clockMs();
      resolve();
    };
    inNextTurn(goOn);
  });
}

function isHoldOver(): boolean {
  return busySinceMs !== null && clockMs() - busySinceMs >= MAX_HOLD_MS;
}

/** Runs `task` in a later turn of the event loop. */
function inNextTurn(task: () => void): void {
  const askedIn = turns;
  schedule(() => {
    // the first task of this turn
    if (turns === askedIn) {
      turns += 1;
      busySinceMs = null;
    }
    task();
  });
}

type Schedule = (task: () => void) => void;

// Ways to run a task as soon as possible after the current one; the best one first.
const ways: Schedule[] = [];
if (typeof immediate === "function") ways.push((task) => void immediate(task));
if (typeof Channel === "function") {
  // browsers delay nested timers by 4 ms, but not messages
  ways.push((task) => {
    const { port1, port2 } = new Channel();
    port1.onmessage = () => {
      port1.close();
      task();
    };
    port2.postMessage(null);
  });
}
if (typeof timeout === "function") ways.push((task) => void timeout(task, 0));

function schedule(task: () => void): void {
  const [way] = ways;
  // an environment without tasks cannot yield
  if (way === undefined) return void Promise.resolve().then(task);
  try {
    way(task);
  } catch {
    ways.shift();
    schedule(task);
  }
}
