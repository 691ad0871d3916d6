#!/usr/bin/env node
import { workerData } from "node:worker_threads";
import { main } from "../src/cli/main.js";
import { serve } from "../src/cli/run/worker.js";
import { THREAD } from "../src/cli/run/workers.js";

// This file is also the program of its threads, because a second file would have mostly the same content.
if (workerData === THREAD) serve();
else {
  main(process.argv.slice(2)).then((status) => {
    process.exitCode = status;
  });
}
