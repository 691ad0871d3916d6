import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { ORDER } from "./test/order.js";

/** Settings of the whole run. */
export const run = {
  globalSetup: ["test/own-ground.ts"],
  // by default, one core would be reserved for the runner, which has little to do
  maxWorkers: availableParallelism(),
  sequence: ORDER,
};

/** Settings of all tests. */
export const tests = {
  setupFiles: ["test/scalar-core.ts", "test/random-inputs.ts"],
  // No test measures time; this limit only ends tests that hang, also on a slow machine.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // hides the warning of node:vm, which runs the command
  execArgv: ["--disable-warning=ExperimentalWarning"],
  sequence: ORDER,
} satisfies TestProjectInlineConfiguration["test"];

// The tests in these files replace parts of the runtime, or reload modules.
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
