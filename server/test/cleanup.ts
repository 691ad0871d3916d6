import { onTestFinished, TestRunner } from "vitest";

/**
 * Within a test, guarantees that `stop` runs when the test ends, even after a failure, because running processes would affect the
 * next test. Outside a test, the `afterAll` of the file must stop them. A fixture for a whole file runs within a test, so it must
 * start its resources without this function.
 */
export function stopAfterTest(stop: () => Promise<void>): void {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(stop);
}
