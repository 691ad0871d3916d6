import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/** Expects the same values. `toEqual`, which is slow, is left to say where they differ; `where` names the case. */
export function expectSame(actual: unknown, expected: unknown, where: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, where).toEqual(expected);
}
