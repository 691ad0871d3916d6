/**
 * Mutation testing of the library: `npm run mutate`, or `npm run mutate -- --mutate src/rows/ranges.ts` for a part of it.
 * Mutants of what is computed once on import are left out: each would cost a run of every test.
 *
 * @type {import("@stryker-mutator/api/core").PartialStrykerOptions}
 */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "vitest.mutate.config.ts", related: false },
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  // What did not change since is not run again; `--force` runs it all the same.
  incremental: true,
  incrementalFile: "build/mutation/library.json",
  concurrency: 1,
  // A busy machine is no hanging mutant.
  timeoutMS: 15_000,
  mutate: ["src/**/*.ts", "!src/engine/wasm/bytes.ts", "!src/cli/**"],
  ignorePatterns: ["dist", "build/mutation", "server", "**/bench", "asi-data"],
  tempDirName: ".stryker",
  disableTypeChecks: false,
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
