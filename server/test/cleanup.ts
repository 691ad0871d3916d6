import { onTestFinished, TestRunner } from "vitest";

/**
 * Within a test, guarantees that `stop` runs when the test ends, even after a failure. Otherwise running processes
 * would affect the next test. Outside a test, the `afterAll` of the file is responsible. A fixture of the file runs
 * within a test, so it starts longer-lived resources without this function.
 */
export function stopAfterTest(stop: () => Promise<void>): void {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(stop);
}
