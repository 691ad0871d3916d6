import type { TSchema } from "@sinclair/typebox";
import { access, type OperationId } from "../domain/access.js";
import type { Rule } from "../domain/rule.js";
import { addCodeSamples } from "./code-samples/index.js";
import { limitsTable } from "./limits.js";
import type { EventsSuccess, FileSuccess, TextSuccess } from "./responses.js";
import type { AnyOperation, Method } from "./route.js";
import { SESSION_COOKIE } from "./session-cookie.js";

type Json = Record<string, unknown>;

/** Descriptions of the groups of operations. */
const TAGS: Readonly<Record<string, string>> = {
  Authentication: "OAuth 2.0: tokens for the API",
  Session: "Signing in to the page on the origin of the API; other clients use tokens",
  Account: "The authenticated user",
  Managers: "Accounts that own devices",
  Devices: "Tracking devices",
  Bluetooth: "Sensors paired to a device",
  "Device ownerships": "Who owned a device when",
};

/** Standard formats; all other formats are specific to this service. */
const KNOWN_FORMATS = new Set(["date-time", "date", "email", "password", "uri", "binary"]);

/** The errors that every operation can return in addition to its own. */
const COMMON = [403, 406, 429, 500, 503];

const ACCESS = `## Access

A program needs an application, which the operator of the service creates (\`asi-server app create\`). With its \`client_id\` and
\`client_secret\`, and the name and password of a user, \`POST /oauth2/token/\` gives an access token. The examples read the token from the
environment variable \`ASI_TOKEN\`. Replace the ids in them by yours: \`GET /api/v1/devices/\` lists your devices.`;

const DETAIL = { type: "object", required: ["detail"], properties: { detail: { type: "string" } } };
const FIELD_ERRORS = { $ref: "#/components/schemas/FieldErrors" };
const FIELD_ERRORS_SCHEMA = {
  type: "object",
  description:
    "Maps field names to messages, nested for nested objects; `non_field_errors` has problems that belong to no single field",
  additionalProperties: { anyOf: [{ type: "array", items: { type: "string" } }, FIELD_ERRORS] },
};
const MESSAGE = { type: "object", required: ["message"], properties: { message: { type: "string" } } };

const response = (description: string, schema: Json, example: Json) => ({
  description,
  headers: { "X-Error-Code": { schema: { type: "string" } }, "X-Request-Id": { schema: { type: "string" } } },
  content: { "application/json": { schema, example } },
});

const OAUTH_ERROR = {
  type: "object",
  required: ["error"],
  properties: { error: { type: "string" }, error_description: { type: "string" } },
};

const ERRORS: Readonly<Record<number, Json>> = {
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
  401: response("The client is unknown, or its secret is wrong", OAUTH_ERROR, { error: "invalid_client" }),
  403: response("Not authenticated, or not permitted", DETAIL, {
    detail: "You do not have permission to perform this action.",
  }),
  404: response("Not found or not visible", DETAIL, { detail: "Not found." }),
  406: response("`Accept` excludes the media type of the response", DETAIL, {
    detail: "Could not satisfy the request Accept header.",
  }),
  410: response("Turned off", DETAIL, { detail: "This operation is turned off." }),
  412: response("`If-Match` contains the entity tag of another version", DETAIL, {
    detail: "The object has changed since; fetch it again.",
  }),
  413: response("Too large", DETAIL, { detail: "The request body is too large." }),
  415: response("Wrong content type", DETAIL, { detail: "Unsupported media type in request." }),
  429: {
    ...response("Too many requests", DETAIL, {
      detail: "Request was throttled. Expected available in 12 seconds.",
    }),
    headers: { "Retry-After": { schema: { type: "integer" }, description: "Seconds" } },
  },
  500: response("Internal error", DETAIL, { detail: "Internal server error." }),
  503: {
    ...response("The database is unavailable, full or read-only", DETAIL, {
      detail: "The service is unavailable for the moment. Try again later.",
    }),
    headers: { "Retry-After": { schema: { type: "integer" }, description: "Seconds" } },
  },
};

/** The OpenAPI 3.1 document of the operations, with examples in several languages (`x-codeSamples`). */
export function openApiDocument(operations: readonly AnyOperation[], baseUrl: string): Json {
  const schemas: Record<string, Json> = { FieldErrors: FIELD_ERRORS_SCHEMA };
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const methods: [Method, TSchema | undefined][] = [
      [operation.method, operation.body ?? operation.describedBody],
    ];
    if (operation.patch !== undefined) methods.push(["PATCH", operation.patch.body]);
    paths[operation.path] ??= {};
    for (const [method, body] of methods) {
      const path = paths[operation.path];
      if (path !== undefined) path[method.toLowerCase()] = describe(operation, method, body, schemas);
    }
  }
  const used = new Set(
    [...JSON.stringify(paths).matchAll(/"#\/components\/responses\/(\w+)"/g)].map(([, name]) => name),
  );
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Sports tracking device data service",
      version: "1.0.0",
      description: `Devices, their raw data and their configuration. Every path ends with a slash. Times are UTC, units SI.\n\n${ACCESS}\n\n## Limits\n\n${limitsTable}`,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({
      name,
      description: TAGS[name] ?? name,
    })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "oauth2",
          flows: {
            password: {
              tokenUrl: `${baseUrl}/oauth2/token/`,
              scopes: { all: "Everything that the user may do" },
            },
          },
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: SESSION_COOKIE,
          description:
            "For the page on this origin: counts only with the header `X-Asi-Page: 1` and without `Authorization`. On plain HTTP at a loopback address its name is `asi-session`.",
        },
      },
      responses: Object.fromEntries(
        Object.entries(ERRORS)
          .filter(([status]) => used.has(`Error${status}`))
          .map(([status, error]) => [`Error${status}`, error]),
      ),
      schemas,
    },
  };
  addCodeSamples(document);
  return document;
}

function describe(
  operation: AnyOperation,
  method: Method,
  body: TSchema | undefined,
  schemas: Record<string, Json>,
): Json {
  const rule: Rule<never, unknown> = access[operation.id as OperationId];
  const query = operation.query ?? operation.describedQuery;
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const others = [
    ...(operation.otherMethods ?? []).map((other) => ({ method: other, path: operation.path })),
    ...(operation.otherPaths ?? []).map((path) => ({ method, path })),
  ];
  const description = [
    operation.description,
    `Access: ${rule.description}.`,
    others.length > 0 &&
      `Also accepted: ${others.map((other) => `\`${other.method} ${other.path}\``).join(", ")}.`,
  ].filter(Boolean);
  const writes = [method, ...(operation.otherMethods ?? [])].some((name) => name !== "GET");
  const statuses = new Set([
    ...COMMON,
    ...(operation.failures ?? []),
    ...(names.length > 0 ? [404] : []),
    ...(writes ? [400, 413, 415] : []),
    ...(names.length > 0 && writes && method !== "POST" ? [412] : []),
    ...(showsOne(operation) ? [304] : []),
  ]);
  return {
    operationId: method === operation.method ? operation.id : `${operation.id}Partially`,
    tags: [operation.tag],
    summary: operation.summary,
    description: description.join("\n\n"),
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...(others.length > 0 ? { "x-aliases": others } : {}),
    security: rule.roles === null ? [] : [{ token: ["all"] }, { session: [] }],
    parameters: [
      ...names.map((name) => ({
        name,
        in: "path",
        required: true,
        schema: name === "job" ? { type: "string" } : { type: "integer", minimum: 1 },
      })),
      ...Object.entries((query?.properties ?? {}) as Record<string, TSchema>).map(([name, schema]) => ({
        name,
        in: "query",
        required:
          ((query?.required as string[] | undefined)?.includes(name) ?? false) ||
          schema.documentedAsRequired === true,
        ...(schema.deprecated === true ? { deprecated: true } : {}),
        ...(schema.description === undefined ? {} : { description: schema.description }),
        schema: published(schema, schemas),
      })),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              [operation.consumes ?? "application/json"]: {
                schema: published(body, schemas),
                example: exampleOf(body),
              },
            },
          },
        }),
    responses: {
      [operation.success.status]: describeSuccess(operation, schemas),
      ...Object.fromEntries([...statuses].sort().map((status) => [status, describeError(operation, status)])),
    },
  };
}

/** The OAuth endpoints report a bad request in their own formats: RFC 6749 section 5.2, and an HTML page. */
function describeError({ oauth, success }: AnyOperation, status: number): Json {
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

/** Whether the operation reads one resource and not a page of a list: such responses have an entity tag. */
const showsOne = ({ method, success: { schema } }: AnyOperation) =>
  method === "GET" && schema !== undefined && schema.properties?.results === undefined;

const mediaTypesOf = (success: TextSuccess | EventsSuccess | FileSuccess): string[] => [
  success.mediaType,
  ...((success.isFile === true && success.otherMediaTypes) || []),
];

const describeText = (mediaType: string): [string, Json] => [mediaType, { schema: { type: "string" } }];

function describeSuccess({ success }: AnyOperation, schemas: Record<string, Json>): Json {
  const description = success.status === 204 ? "Done" : success.status === 201 ? "Stored" : "The result";
  if (success.schema === undefined) {
    return success.mediaType === undefined
      ? { description }
      : { description, content: Object.fromEntries(mediaTypesOf(success).map(describeText)) };
  }
  return {
    description,
    ...(success.headers === undefined ? {} : { headers: describeHeaders(success.headers) }),
    content: {
      "application/json": {
        schema: published(success.schema, schemas),
        example: exampleOf(success.schema),
      },
    },
  };
}

const describeHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );

/** The schema for the document: named schemas as references, without the options of this service. */
function published(schema: TSchema, schemas: Record<string, Json>): Json {
  const { $id, ...rest } = schema;
  if ($id === undefined) return withoutOwnOptions(rest as TSchema, schemas);
  schemas[$id] ??= withoutOwnOptions(rest as TSchema, schemas);
  return { $ref: `#/components/schemas/${$id}` };
}

function withoutOwnOptions(schema: TSchema, schemas: Record<string, Json>): Json {
  if (schema.openapi !== undefined) return schema.openapi;
  const { problem: _problem, format, ...rest } = schema;
  const members = Object.entries(rest).map(([name, value]) => {
    if (name === "properties") {
      const properties = Object.entries(value as Record<string, TSchema>);
      return [name, Object.fromEntries(properties.map(([key, member]) => [key, published(member, schemas)]))];
    }
    if (name === "items") return [name, published(value as TSchema, schemas)];
    if (name === "anyOf") return [name, (value as TSchema[]).map((variant) => published(variant, schemas))];
    return [name, value];
  });
  return {
    ...Object.fromEntries(members),
    ...(format !== undefined && KNOWN_FORMATS.has(format) ? { format } : {}),
  };
}

/** The example of the schema, or one made from it. */
function exampleOf(schema: TSchema): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf !== undefined) return exampleOf(schema.anyOf[0]);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Record<string, TSchema>).map(([name, member]) => [
          name,
          exampleOf(member),
        ]),
      );
    case "array":
      return [exampleOf(schema.items)];
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "string":
      return FORMAT_EXAMPLES[schema.format ?? ""] ?? "text";
    default:
      return null;
  }
}

const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  "date-time": "2024-01-01T06:00:00.000Z",
  date: "1990-12-31",
  email: "ann@example.org",
  password: "a long passphrase",
};
