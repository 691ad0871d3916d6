import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Tests that run in this process and are fast: those that start the built command would not use a mutated
// source, and those that mutate thousands of recordings would read them again for each mutant. The fastest run
// first: the first failed test ends the run. `MUTATE_WITH=files,chunks` adds tests that a folder needs.
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
    // A hanging test is found earlier than by the limit of the whole run.
    testTimeout: 10_000,
  },
});
