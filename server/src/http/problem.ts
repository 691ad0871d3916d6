import { STATUS_CODES } from "node:http";
import type { ErrorBody, FieldErrors } from "../domain/change/errors.js";

/** The media type of RFC 9457. */
export const PROBLEM_TYPE = "application/problem+json";

/** An error of API version 2: problem details (RFC 9457). */
export interface Problem {
  type: "about:blank";
  /** Title of the status. */
  title: string;
  status: number;
  /** Description of the error and of the required action, for people. */
  detail: string;
  /** Code of the error, for programs; the same as `X-Error-Code`. */
  code: string;
  /** The invalid values. */
  errors?: readonly { field: string; detail: string; code?: string }[];
}

const WHOLE = "non_field_errors";

/** Yields the messages with the locations of their fields: `recipe`, `items.2.name`; empty for the request as a whole. */
function* placed(fields: FieldErrors, path: readonly string[]): Generator<{ field: string; detail: string }> {
  for (const [name, messages] of Object.entries(fields)) {
    const place = name === WHOLE ? path : [...path, name];
    if (!Array.isArray(messages)) yield* placed(messages, place);
    else for (const detail of messages) yield { field: place.join("."), detail };
  }
}

const isText = (value: unknown): value is string => typeof value === "string";

/**
 * @param body body in the format of API version 1
 * @param codes codes of fields with a separate code
 */
export function problemOf(
  status: number,
  code: string,
  body: ErrorBody,
  codes: Readonly<Record<string, string>> = {},
): Problem {
  const { detail, message } = body as Record<string, unknown>;
  const text = isText(detail) ? detail : message;
  const errors = isText(text)
    ? undefined
    : [...placed(body as FieldErrors, [])].map((one) => {
        const own = codes[one.field];
        return own === undefined ? one : { ...one, code: own };
      });
  return {
    type: "about:blank",
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail:
      errors === undefined
        ? String(text)
        : errors.map((one) => (one.field === "" ? one.detail : `${one.field}: ${one.detail}`)).join(" "),
    code,
    ...(errors && { errors }),
  };
}
