/**
 * Mutation tests of the library: `npm run mutate`, or `npm run mutate -- --mutate src/rows/ranges.ts` for a part of it.
 * Mutants of code that runs once on import are excluded: each would need a run of every test.
 *
 * @type {import("@stryker-mutator/api/core").PartialStrykerOptions}
 */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "vitest.mutate.config.ts", related: false },
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  // Unchanged code is not run again; `--force` runs it in any case.
  incremental: true,
  incrementalFile: "build/mutation/library.json",
  concurrency: 1,
  // A slow machine is not a hanging mutant.
  timeoutMS: 15_000,
  mutate: ["src/**/*.ts", "!src/engine/wasm/bytes.ts", "!src/cli/**"],
  ignorePatterns: ["dist", "build/mutation", "server", "**/bench", "asi-data"],
  tempDirName: ".stryker",
  disableTypeChecks: false,
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
