import { defineConfig } from "vitest/config";

// The tests that run in the process itself: those that start the built command would not see a mutated source.
export default defineConfig({
  test: {
    include: [
      "test/arguments.test.ts",
      "test/encode-errors.test.ts",
      "test/errors.test.ts",
      "test/layout.test.ts",
      "test/letting-go.test.ts",
      "test/ranges.test.ts",
      "test/reading-once.test.ts",
      "test/round-trip.test.ts",
      "test/sample-json.test.ts",
      "test/sources.test.ts",
      "test/streams.test.ts",
    ],
    testTimeout: 120_000,
  },
});
