import { type Client, type Resource, unwrap } from "asi-client";

/** Loads the JSON schemas of activities and of time frames. The service has about a dozen. */
export async function loadSchemas(client: Client, signal: AbortSignal): Promise<Resource["JsonSchema"][]> {
  const { results } = await unwrap(
    client.GET("/api/v1/json-schemas/", { params: { query: { limit: 3000 } }, signal }),
  );
  return results;
}

/** Returns the sport of an activity's schema. */
export function sportOf({ schema, name }: Resource["JsonSchema"]): string {
  const { properties } = schema as { properties?: { sport?: { const?: unknown } } };
  return typeof properties?.sport?.const === "string"
    ? properties.sport.const
    : name.replace(/^activity_/, "");
}
