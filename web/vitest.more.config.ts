import { defineConfig } from "vitest/config";
import { settings } from "./vitest.config.js";

/** Tests that `npm test` omits: other widths and themes, a larger file, every damaged file, and the story on PostgreSQL. */
export default defineConfig({
  test: {
    ...settings,
    include: [
      "test/looks/**/*.test.ts",
      "test/long/**/*.test.ts",
      "test/large-file.test.ts",
      "test/states.test.ts",
    ],
    env: { TEST_LONG: "1" },
  },
});
