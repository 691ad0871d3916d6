import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { ORDER } from "./test/order.js";

/** Of the whole run. */
export const run = {
  globalSetup: ["test/own-ground.ts"],
  // by itself it would leave a core to the runner, which has little to do
  maxWorkers: availableParallelism(),
  sequence: ORDER,
};

/** Of all tests. */
export const tests = {
  setupFiles: ["test/scalar-core.ts"],
  // No test judges by the clock; this only ends one that hangs, on a slow machine too.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // of node:vm, which runs the command
  execArgv: ["--disable-warning=ExperimentalWarning"],
  sequence: ORDER,
} satisfies TestProjectInlineConfiguration["test"];

// The tests of these files replace parts of the runtime, or read modules anew.
const ISOLATED = ["initialize", "layout", "local-time", "without-webassembly"].map(
  (name) => `test/${name}.test.ts`,
);

export default defineConfig({
  test: {
    ...run,
    projects: [
      {
        test: {
          ...tests,
          name: "library",
          include: ["test/**/*.test.ts"],
          exclude: ["test/long/**", ...ISOLATED],
          isolate: false,
        },
      },
      { test: { ...tests, name: "isolated", include: ISOLATED } },
    ],
  },
});
