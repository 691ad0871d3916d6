/** Reads the parts of the service's OpenAPI document that the tests need. */

export interface Schema {
  $ref?: string;
  const?: unknown;
  anyOf?: Schema[];
  type?: string;
  format?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  example?: unknown;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface StatedResponse {
  $ref?: string;
  content?: Record<string, unknown>;
}

export interface Operation {
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, StatedResponse>;
}

export interface OpenApiDocument {
  /** Operations of each path by lower-case method. */
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, StatedResponse> };
}

/**
 * Reads an OpenAPI document. Other tests compare its content with the service.
 * @throws Error if the value is not an OpenAPI document
 */
export function readDocument(value: unknown): OpenApiDocument {
  const isDocument = typeof value === "object" && value !== null && "paths" in value && "components" in value;
  if (!isDocument) throw new Error("No OpenAPI document");
  return value as OpenApiDocument;
}

/**
 * Returns the target of a `$ref`.
 * @throws Error if the target does not exist
 */
export function referred<T>(among: Readonly<Record<string, T>>, reference: string): T {
  const found = among[reference.slice(reference.lastIndexOf("/") + 1)];
  if (found === undefined) throw new Error(`The document has no ${reference}`);
  return found;
}
