import { onTestFinished, TestRunner } from "vitest";

/**
 * Within a test, promises that `stop` is done when the test ends, failed or not: what it left running would be in the way
 * of the next one. Outside of a test, the file's own `afterAll` sees to it. A fixture of the file runs within a test, so
 * it starts what lasts longer without this.
 */
export function stopAfterTest(stop: () => Promise<void>): void {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(stop);
}
