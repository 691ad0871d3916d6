/** In mutation tests, properties use a few examples, the same in every run, and stop at the first failure. */
import type * as FastCheck from "fast-check";
import { vi } from "vitest";

const MOST_EXAMPLES = 30;

vi.mock("fast-check", async (importOriginal) => {
  const original = await importOriginal<typeof FastCheck>();
  const assert: typeof original.assert = (property, parameters) => {
    const numRuns = Math.min(parameters?.numRuns ?? MOST_EXAMPLES, MOST_EXAMPLES);
    return original.assert(
      property as never,
      { ...parameters, numRuns, seed: 1, endOnFailure: true } as never,
    );
  };
  return { ...original, assert, default: { ...original.default, assert } };
});
