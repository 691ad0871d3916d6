import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// The tests that run in the process itself and in a moment: those that start the built command would not see a mutated
// source, and the thousands of mutated recordings of others would be read again for each mutant. The quickest come
// first: the first test that fails ends the run. `MUTATE_WITH=files,chunks` adds the tests that a folder needs besides.
const more = (process.env.MUTATE_WITH ?? "").split(",").filter((name) => name !== "");
const tests = [
  "test/ranges.test.ts",
  "test/messages.test.ts",
  "test/file-name.test.ts",
  "test/format-frames.test.ts",
  "test/format-rows.test.ts",
  "test/reading-once.test.ts",
  "test/back-pressure.test.ts",
  "test/streams.test.ts",
  "test/letting-go.test.ts",
  "test/json.test.ts",
  "test/recording-reader.test.ts",
  "test/repair.test.ts",
  "test/errors.test.ts",
  "test/options.test.ts",
  "test/serial-number.test.ts",
  "test/strict.test.ts",
  "test/sources.test.ts",
  "test/layout.test.ts",
  "test/encode-errors.test.ts",
  "test/ownership.test.ts",
  "test/round-trip.test.ts",
  "test/arguments.test.ts",
  ...more.map((name) => `test/${name}.test.ts`),
];

class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => tests.findIndex((test) => moduleId.endsWith(test));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    include: tests,
    setupFiles: ["test/few-examples.ts", "test/scalar-core.ts"],
    sequence: { sequencer: QuickestFirst },
    isolate: false,
    // What hangs is found sooner than by waiting for the whole run.
    testTimeout: 10_000,
  },
});
