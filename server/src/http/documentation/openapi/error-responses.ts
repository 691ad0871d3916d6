import type { AnyOperation } from "../../operation.js";
import { headerReferences } from "./headers.js";
import type { Json } from "./schemas.js";

const DETAIL = { type: "object", required: ["detail"], properties: { detail: { type: "string" } } };
const FIELD_ERRORS = { $ref: "#/components/schemas/FieldErrors" };

/** Schema of the problems of fields. */
export const FIELD_ERRORS_SCHEMA = {
  type: "object",
  description:
    "Maps field names to messages, nested for nested objects; `non_field_errors` contains errors that do not belong to a single field",
  additionalProperties: { anyOf: [{ type: "array", items: { type: "string" } }, FIELD_ERRORS] },
};
const MESSAGE = { type: "object", required: ["message"], properties: { message: { type: "string" } } };

const response = (description: string, schema: Json, example: Json) => ({
  description,
  headers: { "X-Error-Code": { schema: { type: "string" } }, ...headerReferences },
  content: { "application/json": { schema, example } },
});

const OAUTH_ERROR = {
  type: "object",
  required: ["error"],
  properties: { error: { type: "string" }, error_description: { type: "string" } },
};

/** Error responses by status. */
export const ERRORS: Readonly<Record<number, Json>> = {
  202: { description: "Accepted; there is no response body", headers: headerReferences },
  302: { description: "Redirect with `error`", headers: { Location: { schema: { type: "string" } } } },
  304: {
    description: "`If-None-Match` contains the entity tag of this representation",
    headers: { ETag: { schema: { type: "string" } } },
  },
  400: response(
    "Invalid request",
    { anyOf: [FIELD_ERRORS, DETAIL, MESSAGE] },
    { username: ["This field is required."] },
  ),
  401: response("The client is unknown or its secret is wrong", OAUTH_ERROR, { error: "invalid_client" }),
  403: response("Not authenticated, or not permitted", DETAIL, {
    detail: "You do not have permission to perform this action.",
  }),
  404: response("Not found or not visible", DETAIL, { detail: "Not found." }),
  406: response("`Accept` excludes the media type of the response", DETAIL, {
    detail: "Could not satisfy the request Accept header.",
  }),
  410: response("Gone: the operation is disabled, or the cursor is no longer valid", DETAIL, {
    detail: "This operation is disabled.",
  }),
  412: response("`If-Match` contains the entity tag of another version", DETAIL, {
    detail: "The object has changed since you fetched it. Fetch it again.",
  }),
  413: response("Too large", DETAIL, { detail: "The request body is too large." }),
  415: response("Wrong content type", DETAIL, { detail: "Unsupported media type in request." }),
  429: {
    ...response("Too many requests", DETAIL, {
      detail: "Request was throttled. Expected available in 12 seconds.",
    }),
    headers: { "Retry-After": { schema: { type: "integer" }, description: "Seconds" }, ...headerReferences },
  },
  500: response("Internal error", DETAIL, { detail: "Internal server error." }),
  503: {
    ...response("The database is unavailable, full or read-only", DETAIL, {
      detail: "The service is temporarily unavailable. Try again later.",
    }),
    headers: { "Retry-After": { schema: { type: "integer" }, description: "Seconds" }, ...headerReferences },
  },
};

/**
 * Describes an error response. The OAuth endpoints report a bad request in their own formats: RFC 6749 section 5.2, and an HTML
 * page.
 */
export function describeError({ oauth, success, version }: AnyOperation, status: number): Json {
  if (version === 2 && status >= 400) return { $ref: `#/components/responses/Problem${status}` };
  if (status !== 400 || !oauth) return { $ref: `#/components/responses/Error${status}` };
  return success.mediaType === undefined
    ? response("Invalid request", { anyOf: [OAUTH_ERROR, DETAIL] }, { error: "invalid_grant" })
    : {
        description: "An HTML page with the reason, or an object when the form could not be read",
        content: {
          [success.mediaType]: { schema: { type: "string" } },
          "application/json": { schema: DETAIL, example: { detail: "The form has more than 50 fields." } },
        },
      };
}
