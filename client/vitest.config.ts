import { defineConfig } from "vitest/config";
import { ByProject, SERVICE } from "../server/vitest.config.js";
import { ORDER } from "../test/order.js";

/** Runs the tests of the client against the real service, with the setup of the service's tests. */
const onDatabase = (name: "embedded" | "postgres", include: string[]) => ({
  test: {
    name,
    include,
    globalSetup: [`../server/test/${name}-setup.ts`],
    setupFiles: ["../server/test/service-setup.ts", "../test/random-inputs.ts"],
    env: { TEST_DATABASE: name },
    ...SERVICE,
  },
});

export default defineConfig({
  test: {
    sequence: { sequencer: ByProject, ...ORDER },
    projects: [
      // `npm test`
      onDatabase("postgres", ["test/**/*.test.ts"]),
      // `npm run test:more`, for the only tests that depend on the responses of the database
      onDatabase("embedded", ["test/client.test.ts", "test/retries.test.ts"]),
    ],
  },
});
