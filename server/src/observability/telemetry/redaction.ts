import type { Attributes, AttributeValue } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { LRUCache } from "lru-cache";
import { withoutLiterals } from "../error-record.js";

/**
 * The attributes that leave the process: names of the system, and nothing that a user sent. Libraries record more, such as
 * URLs, whose paths and queries may contain secrets, and messages of errors, which quote values.
 */
const KEPT = new Set([
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "url.scheme",
  "error.type",
  // Of the database, and of the receiver of a webhook.
  "server.address",
  "server.port",
  "db.system.name",
  "db.namespace",
  // The statement with placeholders.
  "db.query.text",
  "db.response.status_code",
  "asi.job.kind",
  "asi.job.id",
  "asi.job.outcome",
  "asi.response_incomplete",
]);

/** What `@opentelemetry/instrumentation-pg` records of an error of the database. */
const SQLSTATE = /^PostgreSQL error of type '\w*' occurred \(code: ([0-9A-Z]{5})\)$/;

/** Characters of a statement; a list of thousands of placeholders adds nothing. */
const MAX_STATEMENT = 2_000;

/** Statements without literals, by their texts: the same ones are repeated often. */
const statements = new LRUCache<string, string>({ max: 500 });

function statementOf(text: string): string {
  const known = statements.get(text);
  if (known !== undefined) return known;
  const statement = withoutLiterals(text, MAX_STATEMENT);
  // Longer ones list many rows, and rarely come again.
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

/** The span as it leaves the process. */
export function redacted(span: ReadableSpan): ReadableSpan {
  const messages = span.events.map(({ attributes }) => String(attributes?.["exception.message"]));
  const state = messages.map((message) => SQLSTATE.exec(message)?.[1]).find((code) => code !== undefined);
  const attributes: Attributes = {
    ...kept(span.attributes),
    ...(state === undefined ? {} : { "db.response.status_code": state, "error.type": state }),
  };
  // The library names it after the prepared statement, which is a number.
  const operation = /\w+/.exec(String(attributes["db.query.text"] ?? ""))?.[0];
  return Object.create(span, {
    ...(operation === undefined ? {} : { name: { value: operation.toUpperCase() } }),
    attributes: { value: attributes },
    events: { value: [] },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan;
}
