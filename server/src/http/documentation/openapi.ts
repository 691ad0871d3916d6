import { type TSchema, Type } from "@sinclair/typebox";
import { access, type OperationId, scopesOf } from "../../domain/change/access.js";
import type { Rule } from "../../domain/change/rule.js";
import { SCOPE_NAMES, SCOPES } from "../../domain/change/scopes.js";
import { FILE } from "../body/bodies.js";
import { SESSION_COOKIE } from "../browser/session-cookie.js";
import type { AnyOperation, Method } from "../operation.js";
import type { EventsSuccess, FileSuccess, LinesSuccess, TextSuccess } from "../responses.js";
import { addCodeSamples, type ExampleDocument } from "./code-samples/index.js";
import { limitsTable } from "./limits.js";
import { describeError, ERRORS, FIELD_ERRORS_SCHEMA } from "./openapi/error-responses.js";
import { HEADERS, headerReferences, IDEMPOTENCY_KEY, takesIdempotencyKey } from "./openapi/headers.js";
import { PROBLEM_SCHEMA, PROBLEMS } from "./openapi/problem-responses.js";
import { exampleOf, type Json, published } from "./openapi/schemas.js";
import { WEBHOOK_CALLS } from "./openapi/webhook-calls.js";

/** Descriptions of the groups of operations. */
const TAGS: Readonly<Record<string, string>> = {
  Authentication: "OAuth 2.0: tokens for the API",
  Session: "Signing in to the page on the origin of the API; other clients use tokens",
  Applications: "Programs that act for a manager with client credentials and scopes",
  "Personal tokens": "Tokens for programs, with some of the rights of their user",
  Account: "The authenticated user",
  Managers: "Accounts that own devices",
  Devices: "Tracking devices",
  Bluetooth: "Sensors paired to a device",
  "Device ownerships": "Owners of devices over time",
  Squads: "Squads, their members, and the devices that they wear",
  Roles: "Roles of other managers in a squad: coach, analyst, physician",
  Sessions: "Matches and trainings of a squad, with their periods and figures",
  Webhooks:
    "Calls to your own address when samples are stored, jobs end, or sessions change, as Standard Webhooks defines them",
  Changes: "Changes since a cursor, for copies of your data",
  MCP: "Model Context Protocol for assistants",
  Recipes:
    "Definitions for counting runs in time frames; a version never changes, but there can be newer versions",
};

const FILE_SCHEMA = Type.String({ format: "binary" });

/** Errors that every operation can return in addition to its own. */
const COMMON = [403, 406, 429, 500, 503];

const ACCESS = `## Access

A program needs an application, which the operator of the service creates (\`asi-server app create\`). With its \`client_id\` and
\`client_secret\`, and the name and password of a user, \`POST /oauth2/token/\` gives an access token. A program that runs by itself needs no
password: its user creates a personal token with scopes (\`POST /api/v2/tokens/\`), or an application that acts for the user with scopes (client credentials):
a manager with \`POST /api/v2/applications/\`, the operator with \`asi-server app create --user ann --scope samples:read\`. The examples read the token from the
environment variable \`ASI_TOKEN\`. Replace the ids in the examples by your own: \`GET /api/v1/devices/\` lists your devices.`;

/** Returns the OpenAPI 3.1 document of the operations, with examples in several languages (`x-codeSamples`). */
export function openApiDocument(operations: readonly AnyOperation[], baseUrl: string): Json {
  const schemas: Record<string, Json> = { FieldErrors: FIELD_ERRORS_SCHEMA, Problem: PROBLEM_SCHEMA };
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
    webhooks: WEBHOOK_CALLS,
    components: {
      securitySchemes: {
        token: {
          type: "oauth2",
          description:
            "OAuth 2.0 clients find these addresses at `/.well-known/oauth-authorization-server` (RFC 8414). The authorization code flow accepts PKCE with S256 (RFC 7636), which replaces the client secret",
          flows: {
            password: {
              tokenUrl: `${baseUrl}/oauth2/token/`,
              scopes: { all: "All permissions of the user" },
            },
            authorizationCode: {
              authorizationUrl: `${baseUrl}/oauth2/authorize/`,
              tokenUrl: `${baseUrl}/oauth2/token/`,
              scopes: { all: "All permissions of the user" },
            },
          },
        },
        application: {
          type: "oauth2",
          description: "An application that acts for a user",
          flows: { clientCredentials: { tokenUrl: `${baseUrl}/oauth2/token/`, scopes: { ...SCOPES } } },
        },
        personalToken: {
          type: "http",
          scheme: "bearer",
          description: `A token of \`POST /api/v2/tokens/\`. Its scopes: ${SCOPE_NAMES.map((name) => `\`${name}\` (${SCOPES[name]})`).join(", ")}`,
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: SESSION_COOKIE,
          description:
            "For the page on this origin. The cookie is used only with the header `X-Asi-Page: 1` and without `Authorization`. With HTTP at a loopback address, its name is `asi-session`.",
        },
      },
      headers: HEADERS,
      responses: Object.fromEntries(
        Object.entries({ Error: ERRORS, Problem: PROBLEMS }).flatMap(([kind, byStatus]) =>
          Object.entries(byStatus)
            .map(([status, error]) => [`${kind}${status}`, error] as const)
            .filter(([name]) => used.has(name)),
        ),
      ),
      schemas,
    },
  };
  addCodeSamples(document as typeof document & ExampleDocument);
  return document;
}

/** Returns the security requirements of tokens with scopes that may call an operation. */
function scopedTokens({ id }: AnyOperation): Record<string, string[]>[] {
  const scopes = scopesOf(id as OperationId);
  if (scopes === undefined) return [];
  // An entry requires all of its scopes, so each alternative is a separate entry.
  const alternatives = scopes.length === 0 ? [[]] : scopes.map((scope) => [scope]);
  return alternatives.flatMap((needed) => [{ application: needed }, { personalToken: needed }]);
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
    // Version 2 refuses unknown parameters.
    ...(operation.version === 2 ? [400] : []),
    ...(operation.version === 2 && rule.roles !== null ? [401] : []),
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
    security: rule.roles === null ? [] : [{ token: ["all"] }, ...scopedTokens(operation), { session: [] }],
    parameters: [
      ...names.map((name) => ({
        name,
        in: "path",
        required: true,
        schema: isText(name) ? { type: "string" } : { type: "integer", minimum: 1 },
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
      ...(takesIdempotencyKey(method, {
        isOpen: rule.roles === null,
        hasPassword: body?.properties?.password !== undefined,
        isRepeatable: "isFile" in operation.success || operation.isRepeatable === true,
      })
        ? [IDEMPOTENCY_KEY]
        : []),
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
              ...(operation.consumesFile && {
                [FILE]: { schema: FILE_SCHEMA, example: exampleOf(FILE_SCHEMA) },
              }),
              ...(operation.csv === undefined
                ? {}
                : { "text/csv": { schema: { type: "string" }, example: operation.csv.example } }),
            },
          },
        }),
    responses: {
      [operation.success.status]: describeSuccess(operation, schemas),
      ...Object.fromEntries([...statuses].sort().map((status) => [status, describeError(operation, status)])),
    },
  };
}

/** Whether a parameter of a path is a text instead of a number. */
const isText = (name: string) => name === "job" || name === "serial";

/** Whether the operation reads a single resource instead of a page of a list; such responses have an entity tag. */
const showsOne = ({ method, success: { schema } }: AnyOperation) =>
  method === "GET" && schema !== undefined && schema.properties?.results === undefined;

const mediaTypesOf = (success: TextSuccess | EventsSuccess | LinesSuccess | FileSuccess): string[] => [
  success.mediaType,
  ...((success.isFile === true && success.otherMediaTypes) || []),
];

const describeText = (mediaType: string): [string, Json] => [mediaType, { schema: { type: "string" } }];

const DESCRIPTIONS = { 200: "The result", 201: "Stored", 202: "Accepted", 204: "Done" };

function describeSuccess({ success }: AnyOperation, schemas: Record<string, Json>): Json {
  const description = DESCRIPTIONS[success.status];
  if (success.schema === undefined) {
    return success.mediaType === undefined
      ? { description, headers: headerReferences }
      : {
          description,
          headers: headerReferences,
          content: Object.fromEntries(mediaTypesOf(success).map(describeText)),
        };
  }
  return {
    description,
    headers: { ...describeHeaders(success.headers ?? {}), ...headerReferences },
    content: {
      "application/json": {
        schema: published(success.schema, schemas),
        example: exampleOf(success.schema),
      },
      ...Object.fromEntries((success.otherMediaTypes ?? []).map(describeText)),
    },
  };
}

const describeHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );
