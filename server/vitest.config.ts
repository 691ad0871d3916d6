import { configDefaults, defineConfig } from "vitest/config";

const LONG = "test/long/**/*.test.ts";

/** No test judges by the clock; these only end one that hangs, on a slow machine too. */
const PATIENCE = { hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } };

/** The same suite on both databases. Files of a project share one service, so they share their worker. */
export const onDatabase = (name: "embedded" | "postgres", { long = false } = {}) => ({
  test: {
    name,
    include: [long ? LONG : "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(long ? [] : [LONG])],
    globalSetup: [`test/${name}-setup.ts`],
    setupFiles: ["test/service-setup.ts"],
    env: { TEST_DATABASE: name },
    isolate: false,
    fileParallelism: false,
    testTimeout: long ? 1_200_000 : 120_000,
    ...PATIENCE,
  },
});

export default defineConfig({
  test: {
    projects: [
      onDatabase("embedded"),
      onDatabase("postgres"),
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "load/*.test.ts"],
          testTimeout: 120_000,
          ...PATIENCE,
        },
      },
    ],
  },
});
