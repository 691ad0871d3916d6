import { defineConfig } from "vitest/config";
import { ORDER } from "../test/order.js";

export const settings = {
  globalSetup: ["../test/own-ground.ts", "test/browser-setup.ts"],
  setupFiles: ["../test/random-inputs.ts"],
  // No test measures time. This limit only ends tests that hang, even on a slow machine.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  // All files share one browser and one service. A third worker would only wait for the processor.
  maxWorkers: 2,
  isolate: false,
  sequence: ORDER,
};

export default defineConfig({
  test: { ...settings, include: ["test/**/*.test.ts"], exclude: ["test/long/**"] },
});
