/**
 * Runs in every file of tests that start services. A test fails if a response of a service differs from the OpenAPI document, or
 * if Node.js has emitted a warning.
 */
import { afterAll, afterEach, aroundAll } from "vitest";
import { removeDatabases } from "./databases.js";
import { takeProcessWarnings } from "./process-warnings.js";
import { takeDifferences } from "./response-check.js";
import { endService } from "./service.js";

function requireNone(problem: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error(`${problem}:\n${found.join("\n")}`);
}

async function checkTest(): Promise<void> {
  requireNone("Responses that differ from the OpenAPI document", takeDifferences());
  // Node.js emits warnings in the next iteration of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  requireNone("Process warnings", takeProcessWarnings());
}

afterEach(checkTest);
afterAll(endService);
// This must be the outermost hook, because the fixtures of the file end after every `afterAll`.
aroundAll(async (runFile) => {
  await runFile();
  await removeDatabases();
  await checkTest();
});
