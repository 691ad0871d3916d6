// Mutation testing of the library: `npm run mutate`, or `npm run mutate -- --mutate src/ranges.ts` for a part of it.
/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "vitest.mutate.config.ts", related: false },
  coverageAnalysis: "perTest",
  concurrency: 2,
  mutate: ["src/*.ts"],
  ignorePatterns: ["dist", "server", "**/bench", "asi-data"],
  tempDirName: ".stryker",
  disableTypeChecks: false,
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
