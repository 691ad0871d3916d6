import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { run, tests } from "./vitest.config.js";

// The files with a long form (test/long-form.ts), in that form, and the files with only a long form. `--short` runs only the latter,
// because `npm test` runs the former in their short form.
const isShort = process.env.TEST_SHORT === "1";
const withLongForm = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .filter(
    (file) =>
      /^long[\\/]/.test(file) || (!isShort && /\/long-form\.js"/.test(readFileSync(`test/${file}`, "utf8"))),
  )
  .map((file) => `test/${file.replaceAll("\\", "/")}`);

export default defineConfig({
  test: { ...run, ...tests, include: withLongForm, env: { TEST_LONG: "1" }, isolate: false },
});
