/**
 * Types of API values as TypeBox schemas. Each defines the validation, the TypeScript type, the conversion to the internal value,
 * and the entry in the OpenAPI document.
 *
 * They have two additional options: `problem` is the message for text with a wrong format or a number outside its limits, or a
 * function that returns it; `openapi` replaces the schema in the document, for query parameters, which are always sent as text.
 */

import { FormatRegistry, type SchemaOptions, type Static, type TSchema, Type } from "@sinclair/typebox";
import { dateTimeProblem, instantProblem, isDate, parseDateTime, parseInstant } from "./date-time.js";
import { isEmailAddress } from "./email-address.js";
import { PAGE_LIMITS } from "./page-limits.js";

declare module "@sinclair/typebox" {
  interface SchemaOptions {
    problem?: string | ((value: unknown) => string);
    /** Whether the document marks the parameter as required, although another parameter can replace it. */
    documentedAsRequired?: boolean;
    openapi?: Record<string, unknown>;
  }
}

/** Text without control characters and lone surrogates, which cannot be stored. */
const TEXT = /^[^\p{Cc}\p{Cs}]*$/u;
/** Text that may have several lines. */
const LINES = /^(?:[^\p{Cc}\p{Cs}]|[\t\r\n])*$/u;
const BOOLEAN = /^(true|false|1|0)$/i;
const INTEGER = /^[+-]?\d+$/;

export const isStorableText = (value: string): boolean => TEXT.test(value);

FormatRegistry.Set("text", isStorableText);
FormatRegistry.Set("lines", (value) => LINES.test(value));
FormatRegistry.Set("email", isEmailAddress);
FormatRegistry.Set("date", isDate);
FormatRegistry.Set("date-time", (value) => parseDateTime(value) !== undefined);
FormatRegistry.Set("query-boolean", (value) => BOOLEAN.test(value));
FormatRegistry.Set("query-integer", (value) => INTEGER.test(value) && Number.isSafeInteger(Number(value)));
FormatRegistry.Set("query-instant", (value) => parseInstant(value) !== undefined);
FormatRegistry.Set("password", () => true);

/** `end_time` of an ownership that has not ended. */
export const CURRENT_END = new Date("2999-12-31T23:59:59.000Z");

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Schema of an optional member that also counts as absent if the client sends null. */
export const OptionalOrNull = <T extends TSchema>(schema: T) =>
  Type.Optional(
    Type.Transform(Nullable(schema))
      .Decode((value) => (value === null ? undefined : value))
      .Encode((value) => value ?? null),
  );

export const Id = (options: SchemaOptions = {}) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, ...options });

/** Schema of a text of one line, by default of at most 150 characters. */
export const Text = (options: SchemaOptions & { maxLength?: number; minLength?: number } = {}) =>
  Type.String({ maxLength: 150, format: "text", problem: "Control characters are not allowed.", ...options });

/** Schema of a date-time in a request body; internally a Date. */
export const DateTime = (options: SchemaOptions = {}) =>
  Type.Transform(
    Type.String({
      format: "date-time",
      problem: dateTimeProblem,
      ...options,
    }),
  )
    .Decode((value) => new Date(parseDateTime(value) ?? Number.NaN))
    .Encode((value) => value.toISOString());

/** Schema of a date-time in a response: UTC with milliseconds and `Z`. */
export const DateTimeOut = (options: SchemaOptions = {}) => Type.String({ format: "date-time", ...options });

export const CalendarDate = (options: SchemaOptions = {}) =>
  Type.String({ format: "date", problem: "Expected a date such as 1990-12-31.", ...options });

export const Email = (options: SchemaOptions = {}) =>
  Type.String({ format: "email", maxLength: 254, problem: "Enter a valid email address.", ...options });

/** Query parameters. An empty parameter counts as absent. */
export const Query = {
  text: (description: string) =>
    Type.Optional(
      Type.String({
        format: "text",
        maxLength: 1000,
        description,
        problem: "Control characters are not allowed.",
        openapi: { type: "string" },
      }),
    ),
  boolean: (description: string) =>
    Type.Optional(
      Type.Transform(
        Type.String({
          format: "query-boolean",
          description,
          problem: "Must be true or false.",
          openapi: { type: "boolean" },
        }),
      )
        .Decode((value) => value === "1" || value.toLowerCase() === "true")
        .Encode(String),
    ),
  integer: (description: string) =>
    Type.Optional(
      Type.Transform(
        Type.String({
          format: "query-integer",
          description,
          problem: "A valid integer is required.",
          openapi: { type: "integer" },
        }),
      )
        .Decode(Number)
        .Encode(String),
    ),
  dateTime: (description: string) =>
    Type.Optional(
      Type.Transform(
        Type.String({
          format: "date-time",
          description,
          problem: dateTimeProblem,
        }),
      )
        .Decode((value) => new Date(parseDateTime(value) ?? Number.NaN))
        .Encode((value) => value.toISOString()),
    ),
  /** Schema of a time: milliseconds since 1970 UTC as digits, or a date-time. Internally milliseconds. */
  instant: (description: string, example: string) =>
    Type.Optional(
      Type.Transform(
        Type.String({
          format: "query-instant",
          description,
          problem: instantProblem,
          documentedAsRequired: true,
          openapi: { type: "string", examples: [example, String(Date.parse(example))] },
        }),
      )
        .Decode((value) => parseInstant(value) ?? Number.NaN)
        .Encode(String),
    ),
  date: (description: string) => Type.Optional(CalendarDate({ description })),
};

/** Query parameters of a list. `page` and `limit` never cause status 400; see `domain/lists/listing.ts`. */
export const pageQuery = (limits: { default: number; max: number }) => ({
  page: Type.Optional(
    Type.String({ description: "Page number, from 1", openapi: { type: "integer", minimum: 1, default: 1 } }),
  ),
  limit: Type.Optional(
    Type.String({
      description:
        "Results per page; a higher number counts as the maximum. Any value other than a positive number is replaced by the default, and reported in `X-Ignored`",
      openapi: { type: "integer", minimum: 1, maximum: limits.max, default: limits.default },
    }),
  ),
});

export const PageQuery = pageQuery(PAGE_LIMITS);

export const ordering = (fields: readonly string[]) =>
  Type.Optional(
    Type.String({
      description: `Case-insensitive name of the field to order by, with a leading - for descending order; several are separated by commas. Text is ordered case-insensitively. Other names are ignored, and reported in \`X-Ignored\`. Fields: ${fields.join(", ")}`,
      fields,
      openapi: { type: "string", example: fields[0] },
    }),
  );

/** Schema of a page of a list. */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    // Examples: the second of three pages with one result each.
    count: Type.Integer({ description: "Total number of results", examples: [3] }),
    page: Type.Integer({ description: "Current page number", examples: [2] }),
    next: Nullable(
      Type.Integer({
        description: "Next page number, for the parameter `page`; null on the last page",
        examples: [3],
      }),
    ),
    previous: Nullable(
      Type.Integer({ description: "Previous page number; null on the first page", examples: [1] }),
    ),
    results: Type.Array(item),
  });

export type Page<T> = {
  count: number;
  page: number;
  next: number | null;
  previous: number | null;
  results: T[];
};

export type { Static };
