import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/** Expects equal values. `toEqual`, which is slow, is used only to show the difference; `where` identifies the case. */
export function expectSame(actual: unknown, expected: unknown, where: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, where).toEqual(expected);
}
