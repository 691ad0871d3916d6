// Long synchronous work yields to the event loop: to timers, signals and other tasks. The work of a whole thread is counted
// together, so that many concurrent readings block the loop no longer than one.

const MAX_HOLD_MS = 16;

// Taken when the module loads: tests that replace timers later must not stop the reading.
const { setImmediate: immediate, setTimeout: timeout, MessageChannel: Channel } = globalThis;

// Node.js loads `performance` when it is first used, which takes milliseconds; its uptime is as monotonic and there already.
const clockMs = clock();

function clock(): () => number {
  const { process: node, performance: web } = globalThis as {
    process?: { uptime?: () => number };
    performance?: { now(): number };
  };
  const uptimeS = node?.uptime;
  if (typeof uptimeS === "function") return () => uptimeS() * 1000;
  return web === undefined ? Date.now : () => web.now();
}

// When the current work started; null after the event loop has had a turn.
let busySinceMs: number | null = null;
let isTurnAsked = false;
const waiting: (() => void)[] = [];

/** Whether work has blocked the event loop long enough that `takeTurn` is due. Cheap enough to call at every step. */
export function isTurnDue(): boolean {
  if (busySinceMs === null) {
    busySinceMs = clockMs();
    askForTurn();
    return false;
  }
  return clockMs() - busySinceMs >= MAX_HOLD_MS;
}

/** Resolves after a turn of the event loop. Waiting tasks continue one by one, with a turn between them. */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    askForTurn();
  });
}

function askForTurn(): void {
  if (isTurnAsked) return;
  isTurnAsked = true;
  schedule();
}

function onTurn(): void {
  isTurnAsked = false;
  busySinceMs = null;
  const goOn = waiting.shift();
  if (goOn === undefined) return;
  busySinceMs = clockMs();
  askForTurn();
  goOn();
}

const schedule: () => void = scheduler();

/** Returns a function that runs `onTurn` in a separate task as soon as possible. */
function scheduler(): () => void {
  if (typeof immediate === "function") return () => immediate(onTurn);
  if (typeof Channel === "function") {
    // browsers delay a timer that follows others by 4 ms, a message not at all
    const { port1, port2 } = new Channel();
    port1.onmessage = onTurn;
    return () => port2.postMessage(null);
  }
  if (typeof timeout === "function") return () => timeout(onTurn, 0);
  // an environment without tasks has nothing to yield to
  return () => void Promise.resolve().then(onTurn);
}
