/**
 * Mutation testing of the service: `npm run mutate -w server -- --mutate src/http/connection/slow-clients.ts`. Name the files to
 * mutate, because the service is too large for a single run.
 *
 * @type {import("@stryker-mutator/api/core").PartialStrykerOptions}
 */
import library from "../stryker.config.mjs";

export default {
  ...library,
  incrementalFile: "../build/mutation/service.json",
  mutate: ["src/{wire,jobs,http,domain,store}/**/*.ts", "!src/**/*.test.ts", "!src/**/testing/**"],
  ignorePatterns: ["dist", "bench", "siege", "soak", "story", "asi-data"],
};
