/** Generates the types of the API from the OpenAPI document that the build of the service writes. */
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import { factory } from "typescript";

const document = JSON.parse(readFileSync(new URL("../../server/openapi.json", import.meta.url), "utf8")) as {
  paths: Record<string, Record<string, { security?: object[] }>>;
};
/** In forms, files are blobs. */
const transform = ({ format }: { format?: string }) =>
  format === "binary" ? factory.createTypeReferenceNode("Blob") : undefined;
const types = astToString(await openapiTS(JSON.stringify(document), { transform }));
const open = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security }]) => security?.length === 0)
    .map(([method]) => `${method.toUpperCase()} ${path}`),
);
writeFileSync(
  new URL("../src/schema.ts", import.meta.url),
  `// Generated from server/openapi.json by scripts/generate.ts.

/** Operations without authentication. */
export const openOperations: ReadonlySet<string> = new Set(${JSON.stringify(open)});

${types}`,
);
