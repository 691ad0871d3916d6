import type { OpenApi } from "./swagger-ui.js";

/**
 * Returns the operations of one path, and the components to which they refer. Swagger UI prepares the whole document each time it
 * resolves the references of an operation, which takes more than a second for the document of the service.
 *
 * @param path of the part that is shown, for example `["paths", "/api/v1/devices/", "get"]`
 */
export function partOf(document: OpenApi, path: readonly string[]): OpenApi {
  const [kind, name] = path;
  const shown = name === undefined ? undefined : document.paths?.[name];
  if (kind !== "paths" || name === undefined || shown === undefined) return document;
  const components: Record<string, Record<string, unknown>> = {};
  const waiting: unknown[] = [shown];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    for (const [, group = "", component = ""] of JSON.stringify(value).matchAll(REFERENCE)) {
      components[group] ??= {};
      const found = document.components?.[group]?.[component];
      if (found === undefined || component in components[group]) continue;
      components[group][component] = found;
      waiting.push(found);
    }
  }
  return { openapi: document.openapi, info: document.info, paths: { [name]: shown }, components };
}

const REFERENCE = /"\$ref":"#\/components\/([^/"]+)\/([^/"]+)"/g;
