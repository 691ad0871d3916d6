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

/**
 * The suite with the samples on three servers of their own. `npm run test:distributed` runs all of it; by default only what
 * stores, reads and removes samples.
 */
const ON_SAMPLES = [
  "sample-servers",
  "sample-servers-away",
  "sample-servers-erasure",
  "sample-servers-former-tables",
  "bulk-load",
  "raw-data",
].map((name) => `test/${name}.test.ts`);

const distributed = () => {
  const { test } = onDatabase("postgres");
  return {
    test: {
      ...test,
      name: "distributed",
      include: process.env.DISTRIBUTED === "all" ? test.include : ON_SAMPLES,
      globalSetup: ["test/distributed-setup.ts"],
      env: { ...test.env, TEST_DISTRIBUTED: "1" },
    },
  };
};

export default defineConfig({
  test: {
    projects: [
      onDatabase("embedded"),
      onDatabase("postgres"),
      distributed(),
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
