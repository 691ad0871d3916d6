import { curlSample } from "./curl.js";
import { documentedCall, type ExampleDocument } from "./documented-call.js";
import { pythonSample } from "./python.js";
import { typescriptSample } from "./typescript.js";

export type { ExampleDocument };

/**
 * Adds examples in curl, TypeScript and Python to every operation of an OpenAPI document, as `x-codeSamples`, which
 * documentation viewers support. Generates them from the addresses, parameters, bodies and responses in the document.
 * @param pathValues values of path parameters by name; default: the ids in the examples of the resources
 */
export function addCodeSamples(
  document: ExampleDocument,
  pathValues?: Readonly<Record<string, string | number>>,
): void {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, entry] of Object.entries(methods)) {
      const call = documentedCall(document, path, method, pathValues);
      entry["x-codeSamples"] = [
        { lang: "Shell", label: "curl", source: curlSample(call) },
        { lang: "TypeScript", label: "TypeScript", source: typescriptSample(call) },
        { lang: "Python", label: "Python", source: pythonSample(call) },
      ];
    }
  }
}
