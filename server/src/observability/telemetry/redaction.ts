import type { Attributes, AttributeValue } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { LRUCache } from "lru-cache";
import { withoutLiterals } from "../error-record.js";

/**
 * Exported attributes: system names, without user data. Libraries record more, such as URLs, whose
 * paths and queries may contain secrets, and error messages, which quote values.
 */
const KEPT = new Set([
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "url.scheme",
  "error.type",
  // Address of the database or of the receiver of a webhook.
  "server.address",
  "server.port",
  "db.system.name",
  "db.namespace",
  // Statement with placeholders.
  "db.query.text",
  "db.response.status_code",
  "asi.job.kind",
  "asi.job.id",
  "asi.job.outcome",
  "asi.response_incomplete",
]);

/** Attributes that `@opentelemetry/instrumentation-pg` records for a database error. */
const SQLSTATE = /^PostgreSQL error of type '\w*' occurred \(code: ([0-9A-Z]{5})\)$/;

/** Maximum number of characters of a statement. Longer statements consist mostly of placeholders. */
const MAX_STATEMENT = 2_000;

/** Cache of statements without literals, by text, because statements are repeated often. */
const statements = new LRUCache<string, string>({ max: 500 });

function statementOf(text: string): string {
  const known = statements.get(text);
  if (known !== undefined) return known;
  const statement = withoutLiterals(text, MAX_STATEMENT);
  // Longer statements contain many rows and are rarely repeated.
  if (text.length <= 2 * MAX_STATEMENT) statements.set(text, statement);
  return statement;
}

function kept(attributes: Attributes): Attributes {
  const safe: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || !KEPT.has(name)) continue;
    safe[name] = name === "db.query.text" ? statementOf(String(value)) : value;
  }
  return safe;
}

/** Returns the span for the export. */
export function redacted(span: ReadableSpan): ReadableSpan {
  const messages = span.events.map(({ attributes }) => String(attributes?.["exception.message"]));
  const state = messages.map((message) => SQLSTATE.exec(message)?.[1]).find((code) => code !== undefined);
  const attributes: Attributes = {
    ...kept(span.attributes),
    ...(state === undefined ? {} : { "db.response.status_code": state, "error.type": state }),
  };
  // The library uses the name of the prepared statement, which is a number.
  const operation = /\w+/.exec(String(attributes["db.query.text"] ?? ""))?.[0];
  return Object.create(span, {
    ...(operation === undefined ? {} : { name: { value: operation.toUpperCase() } }),
    attributes: { value: attributes },
    events: { value: [] },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan;
}
