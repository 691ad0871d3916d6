/** Compares responses of the service with an OpenAPI document. */
import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { isDate } from "../src/wire/date-time.js";
import { type OpenApiDocument, readDocument, referred } from "./openapi-document.js";

/** A response as received by the client. */
export interface ActualResponse {
  status: number;
  /** Media type without parameters, such as `application/json`; undefined if there is no body. */
  mediaType: string | undefined;
  /** Parsed body, if it is JSON. */
  body: unknown;
}

export const JSON_TYPE = "application/json";

export const isJson = (mediaType: string | undefined): mediaType is string =>
  mediaType === JSON_TYPE || mediaType === "application/problem+json";

/** Number of differences that one message lists. */
const MAX_DIFFERENCES = 5;

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

const FORMATS = {
  "date-time": (text: string) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
  date: isDate,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: (text: string) => URL.canParse(text),
  password: true,
  binary: true,
} as const;

/** Returns a JSON Pointer (RFC 6901) as a URI fragment. */
const pointerTo = (...steps: string[]) =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

/**
 * Makes the document stricter: an object has only the members in its schema, unless the schema allows others. The published
 * schemas are not strict, because clients must ignore unknown members.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const namesMembers = members.type === "object" && typeof members.properties === "object";
  return namesMembers && members.additionalProperties === undefined
    ? { ...members, additionalProperties: false }
    : members;
}

const difference = ({ instancePath, message, params }: ErrorObject) =>
  `${instancePath || "the body"} ${message}${params.additionalProperty === undefined ? "" : `: ${params.additionalProperty}`}`;

/** Compares responses with a document. */
export class DocumentedResponses {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: unknown) {
    this.#document = readDocument(document);
    this.#ajv.addSchema(closed(document) as AnySchemaObject, "document");
  }

  /** Yields every documented response. */
  *stated(): Generator<{ path: string; method: string; status: number }> {
    for (const [path, methods] of Object.entries(this.#document.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        for (const status of Object.keys(responses)) yield { path, method, status: Number(status) };
      }
    }
  }

  /**
   * @param path path in the document, with parameters such as `{name}`
   * @param method lower-case method as in the document
   * @returns the difference from the document; null if there is none
   */
  differences(path: string, method: string, { status, mediaType, body }: ActualResponse): string | null {
    const responses = this.#document.paths[path]?.[method]?.responses ?? {};
    const stated = responses[status];
    if (stated === undefined) return `the status is not stated, only ${Object.keys(responses).join(", ")}`;
    const pointer = stated.$ref ?? `#${pointerTo("paths", path, method, "responses", String(status))}`;
    const response =
      stated.$ref === undefined ? stated : referred(this.#document.components.responses, stated.$ref);
    const types = Object.keys(response.content ?? {});
    if (types.length === 0) return body === undefined ? null : "there is a body, and none is stated";
    if (body === undefined) return `there is no body, and ${types.join(", ")} is stated`;
    if (mediaType === undefined || !types.includes(mediaType)) {
      return `the media type is ${mediaType}, and ${types.join(", ")} is stated`;
    }
    // For other media types, the document states only that the body is text.
    if (!isJson(mediaType)) return null;
    return this.#valid(`${pointer}${pointerTo("content", mediaType, "schema")}`, body);
  }

  /** Checks an error for a path without an operation. */
  differencesOfError({ mediaType, body }: ActualResponse): string | null {
    if (mediaType !== JSON_TYPE) return `the media type is ${mediaType}`;
    return this.#valid("#/components/responses/Error404/content/application~1json/schema", body);
  }

  #valid(pointer: string, body: unknown): string | null {
    const isValid = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `document${pointer}` });
    this.#validators.set(pointer, isValid);
    if (isValid(body)) return null;
    const found = isValid.errors ?? [];
    const told = found.slice(0, MAX_DIFFERENCES).map(difference);
    return [...told, ...(found.length > told.length ? [`and ${found.length - told.length} more`] : [])].join(
      "; ",
    );
  }
}
