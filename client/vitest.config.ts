import { defineConfig } from "vitest/config";

/** The client against the real service on both databases: with the set-up of the service's own tests. */
const onDatabase = (name: "embedded" | "postgres") => ({
  test: {
    name,
    include: ["test/**/*.test.ts"],
    globalSetup: [`../server/test/${name}-setup.ts`],
    setupFiles: ["../server/test/service-setup.ts"],
    env: { TEST_DATABASE: name },
    isolate: false,
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

export default defineConfig({ test: { projects: [onDatabase("embedded"), onDatabase("postgres")] } });
