import { defineConfig } from "vitest/config";
import { onDatabase } from "./vitest.config.js";

/** What takes minutes: real processes, killed many times. */
export default defineConfig({
  test: { projects: [onDatabase("embedded", { long: true }), onDatabase("postgres", { long: true })] },
});
