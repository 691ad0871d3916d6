import { onTestFinished, TestRunner } from "vitest";

/**
 * Within a test, promises that `stop` is done when the test ends, failed or not: in CI it is tried again, and what its
 * first attempt left running would be in the way. Outside of a test, the file's own `afterAll` sees to it.
 */
export function stopAfterTest(stop: () => Promise<void>): void {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(stop);
}
