// Loaded into `asi` with `node --require`. Makes worker threads fail, depending on the name of the file that they open.
const fs = require("node:fs");
const { dirname, join } = require("node:path");
const { isMainThread, parentPort } = require("node:worker_threads");

const MOST_WAITS = 1000;
const WAIT_MS = 10;
// at this time the main thread knows that the work is done
const IDLE_MS = 300;
const { openSync, writeSync } = fs;
const { postMessage } = parentPort ?? {};

if (!isMainThread) {
  let breakDown = null;
  fs.openSync = (path, ...rest) => {
    const marker = join(dirname(String(path)), "broken-when-idle");
    if (/ends\.asi$/.test(path)) breakDown = () => process.exit(7);
    if (/throws\.asi$/.test(path)) breakDown = () => queueMicrotask(fault);
    if (/throws-when-idle\.asi$/.test(path)) {
      parentPort.postMessage = (message) => {
        postMessage.call(parentPort, message);
        if (message.kind === "done") setTimeout(() => fault(fs.writeFileSync(marker, "")), IDLE_MS);
      };
    }
    if (/waits\.asi$/.test(path)) {
      const nothing = new Int32Array(new SharedArrayBuffer(4));
      for (let i = 0; i < MOST_WAITS && !fs.existsSync(marker); i++) Atomics.wait(nothing, 0, 0, WAIT_MS);
    }
    return openSync(path, ...rest);
  };
  // in the middle of the work, when there is a temporary file
  fs.writeSync = (...args) => {
    breakDown?.();
    return writeSync(...args);
  };
}

function fault() {
  throw new Error("a fault in the thread");
}
