import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// The unit tests, the quickest first, because the first failed test ends the run. `MUTATE_WITH=model,devices` adds slow unit
// tests, and tests of the whole service on the embedded database, which take seconds per mutant.
const more = (process.env.MUTATE_WITH ?? "").split(",").filter((name) => name !== "");
const slow = ["model", "reading", "retention", "store-samples"];
// It needs more examples than `few-examples.ts` allows.
const unfit = ["invariants"];
const late = ["golden-vectors", "independent", "codec", ...more].map((name) => `/${name}.test.ts`);

// Resolved through the package, because the tests run in a copy of this folder elsewhere.
const library = dirname(createRequire(import.meta.url).resolve("asi-convert/package.json"));

class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => late.findIndex((test) => moduleId.endsWith(test));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", ...more.map((name) => `test/${name}.test.ts`)],
    exclude: [
      ...configDefaults.exclude,
      ...[...unfit, ...slow.filter((name) => !more.includes(name))].map((name) => `src/**/${name}.test.ts`),
    ],
    setupFiles: [join(library, "test/few-examples.ts")],
    sequence: { sequencer: QuickestFirst },
    isolate: false,
    // Detects a hang before the time limit of the whole run.
    testTimeout: 5_000,
    ...(more.length > 0 && { globalSetup: ["test/embedded-setup.ts"], env: { TEST_DATABASE: "embedded" } }),
  },
});
