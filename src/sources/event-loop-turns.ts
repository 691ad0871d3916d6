// Lets long synchronous work yield to the event loop, so that timers, signals and other tasks can run. All work in a thread is
// counted together, so many concurrent readings do not block the event loop longer than one reading does.

const MAX_HOLD_MS = 16;

// These functions are copied when the module loads, so that tests that replace timers later do not stop the reading.
const { setImmediate: immediate, setTimeout: timeout, MessageChannel: Channel } = globalThis;

// Node.js loads `performance` on first use, which takes milliseconds. Its uptime is also monotonic, and always available.
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

/** Returns whether a call succeeds. Some platforms have functions of Node.js that throw when they are called. */
function isAllowed(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}

// The time at which the current work started; null after the event loop has had a turn.
let busySinceMs: number | null = null;
// Number of turns of the event loop so far. Several tasks may run in one turn.
let turns = 0;

// The waiting tasks, in the order in which they continue. Each one is continued by its own timer or message. Some platforms discard
// the timers of a request when it ends, so no task may depend on the timers of another task.
const waiting = new Set<object>();

/**
 * Returns whether work has blocked the event loop so long that `takeTurn` is due. It is fast enough to be called at every step.
 */
export function isTurnDue(): boolean {
  if (busySinceMs === null) {
    busySinceMs = clockMs();
    inNextTurn(() => {});
    return false;
  }
  return isHoldOver();
}

/**
 * Resolves after a turn of the event loop. Waiting tasks continue in separate turns, so no turn is longer than the longest task.
 */
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
      // the tasks before this one continue by themselves, or never
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

// Ways to run a task as soon as possible after the current one, the best way first.
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
  // a platform without any of them cannot yield
  if (way === undefined) return void Promise.resolve().then(task);
  try {
    way(task);
  } catch {
    ways.shift();
    schedule(task);
  }
}
