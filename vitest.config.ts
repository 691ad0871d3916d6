import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/scalar-core.ts"],
    // No test judges by the clock; this only ends one that hangs, on a slow machine too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
