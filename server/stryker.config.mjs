/**
 * Mutation testing of the service: `npm run mutate -w server -- --mutate src/http/connection/slow-clients.ts`. What it needs at once is
 * named there, for the service is too large to be done in one go.
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
