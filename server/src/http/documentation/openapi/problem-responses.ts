import type { ErrorBody } from "../../../domain/change/errors.js";
import { PROBLEM_TYPE, problemOf } from "../../problem.js";
import { ERRORS } from "./error-responses.js";
import { headerReferences } from "./headers.js";
import type { Json } from "./schemas.js";

/** The schema of version 2 errors. */
export const PROBLEM_SCHEMA = {
  type: "object",
  description: "Problem details (RFC 9457)",
  required: ["type", "title", "status", "detail", "code"],
  properties: {
    type: { type: "string", const: "about:blank" },
    title: { type: "string", description: "Title of the status" },
    status: { type: "integer" },
    detail: { type: "string", description: "Description of the error and of the required action" },
    code: { type: "string", description: "The same as `X-Error-Code`" },
    errors: {
      type: "array",
      description: "The invalid values",
      items: {
        type: "object",
        required: ["field", "detail"],
        properties: {
          field: {
            type: "string",
            description: "Path with dots between the levels; empty for the whole request",
          },
          detail: { type: "string" },
          code: { type: "string", description: "Code of this value, if it has a separate one" },
        },
      },
    },
  },
};

/** An example of each status. Where `body` is absent, the version 1 body applies. */
const EXAMPLES: Readonly<Record<number, { code: string; description?: string; body?: ErrorBody }>> = {
  400: { code: "invalid", body: { name: ["This field is required."] } },
  401: {
    code: "not_authenticated",
    description: "Not authenticated",
    body: { detail: "Authentication credentials were not provided." },
  },
  403: { code: "permission_denied", description: "Not permitted" },
  404: { code: "not_found" },
  406: { code: "not_acceptable" },
  409: {
    code: "recipe_unchanged",
    description: "The state of the objects does not allow the request",
    body: { message: "Version 2 of this name is the same recipe; its id is 3." },
  },
  410: { code: "gone" },
  412: { code: "precondition_failed" },
  413: { code: "too_large" },
  415: { code: "unsupported_media_type" },
  429: { code: "throttled" },
  500: { code: "internal_error" },
  503: { code: "unavailable" },
};

interface KnownError {
  description: string;
  headers: Json;
  content: { "application/json": { example: ErrorBody } };
}

/** The responses to version 2 errors, by status. */
export const PROBLEMS: Readonly<Record<number, Json>> = Object.fromEntries(
  Object.entries(EXAMPLES).map(([text, { code, description, body }]) => {
    const status = Number(text);
    const known = ERRORS[status] as KnownError | undefined;
    const example = body ?? known?.content["application/json"].example;
    if (example === undefined) throw new Error(`No example of ${status}`);
    return [
      status,
      {
        description: description ?? known?.description,
        headers: { "X-Error-Code": { schema: { type: "string" } }, ...known?.headers, ...headerReferences },
        content: {
          [PROBLEM_TYPE]: {
            schema: { $ref: "#/components/schemas/Problem" },
            example: problemOf(status, code, example),
          },
        },
      },
    ];
  }),
);
