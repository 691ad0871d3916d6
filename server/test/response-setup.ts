/** Runs with every file of tests that start services: an answer that is not as the document states it fails its test. */
import { afterAll, afterEach } from "vitest";
import { takeDifferences } from "./response-check.js";

function requireDocumentedResponses(): void {
  const differing = takeDifferences();
  if (differing.length > 0) {
    throw new Error(`Answers that differ from the OpenAPI document:\n${differing.join("\n")}`);
  }
}

afterEach(requireDocumentedResponses);
afterAll(requireDocumentedResponses);
