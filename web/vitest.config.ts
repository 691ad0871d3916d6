import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/browser-setup.ts"],
    // No test judges by the clock; this only ends one that hangs, on a slow machine too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // One browser serves all files; more at once would only wait for the processor.
    fileParallelism: false,
  },
});
