/** Part of an error that the service may log: type and location, never data from a user. */
export interface ErrorRecord {
  type: string;
  message: string;
  /** Stack frames; empty if the error has none. */
  stack: string;
  /** SQLSTATE, or error code of Node.js or a library. */
  code?: string;
  /** Failed statement with placeholders, without literals and parameters. */
  statement?: string;
  cause?: ErrorRecord;
  errors?: ErrorRecord[];
  [field: string]: unknown;
}

/**
 * Fields with system names and without user data, from system errors of Node.js, database errors, and HTTP and SMTP
 * responses. The record omits all other fields: for example, `detail` and `where` of a database error quote rows.
 */
const FIELDS = [
  "errno",
  "syscall",
  "address",
  "port",
  "severity",
  "routine",
  "schema",
  "table",
  "column",
  "constraint",
  "dataType",
  "statusCode",
  "responseCode",
] as const;

const MAX_STATEMENT = 300;
const MAX_MESSAGE = 1_000;
const MAX_CAUSES = 5;
const MAX_ERRORS = 10;

/**
 * Classes of SQLSTATEs whose messages contain names of tables, constraints and resources. Messages of other classes may quote
 * values.
 */
const MESSAGE_WITHOUT_VALUES = /^(08|0A|23|25|26|28|3D|40|42|53|54|55|57|58)...$/;

type Fields = Error & Readonly<Record<string, unknown>>;

/** Whether a database sent the error. */
const isFromDatabase = (error: Fields) =>
  typeof error.severity === "string" && typeof error.code === "string";

/** Whether the query builder threw the error. Its message contains the statement and the parameters. */
const isFailedQuery = (error: Fields) => typeof error.query === "string" && "params" in error;

/**
 * Whether a mail server rejected an email. The server's message and the fields of the error contain
 * the recipients.
 */
const isFromMailServer = (error: Fields) => typeof error.responseCode === "number" || "rejected" in error;

function messageOf(error: Fields): string {
  if (isFailedQuery(error)) return "The query failed.";
  if (isFromDatabase(error) && !MESSAGE_WITHOUT_VALUES.test(String(error.code))) {
    return "The database refused a value.";
  }
  if (isFromMailServer(error)) return "The mail server refused the email.";
  // A parser quotes its input in the message.
  if (error instanceof SyntaxError) return "The text could not be read.";
  return error.message.slice(0, MAX_MESSAGE);
}

/** Returns the stack frames without the original message, with which the stack starts. */
function framesOf(error: Fields): string {
  const { stack, message } = error;
  if (typeof stack !== "string") return "";
  const at = stack.indexOf(message);
  if (at === -1) return "";
  return stack.slice(at + message.length).replace(/^\n/, "");
}

/** Returns the beginning of a statement without literals. */
export const withoutLiterals = (text: string, maxLength: number): string =>
  text
    .replaceAll(/'(?:[^']|'')*'?/g, "?")
    .replaceAll(/(?<![\w$"])-?\d+(?:\.\d+)?/g, "?")
    .slice(0, maxLength);

/**
 * Describes an error for the log or for the operator. Omits parameters of statements, quoted rows
 * and texts, including in its causes.
 */
export function errorRecord(error: unknown, depth = 0): ErrorRecord {
  if (!(error instanceof Error))
    return { type: typeof error, message: "The thrown value is not an error.", stack: "" };
  const fields = error as Fields;
  const record: ErrorRecord = {
    type: error.constructor.name,
    message: messageOf(fields),
    stack: framesOf(fields),
  };
  if (typeof fields.code === "string") record.code = fields.code;
  for (const name of FIELDS) {
    const value = fields[name];
    if (typeof value === "string" || typeof value === "number") record[name] = value;
  }
  if (isFailedQuery(fields)) record.statement = withoutLiterals(String(fields.query), MAX_STATEMENT);
  if (depth >= MAX_CAUSES) return record;
  if (error.cause !== undefined) record.cause = errorRecord(error.cause, depth + 1);
  if (Array.isArray(fields.errors)) {
    record.errors = fields.errors.slice(0, MAX_ERRORS).map((one: unknown) => errorRecord(one, depth + 1));
  }
  return record;
}

/** Describes an error as text, for a terminal. */
export function errorText(error: unknown): string {
  const { type, message, code, statement, stack, cause } = errorRecord(error);
  return [
    `${type}${code === undefined ? "" : ` ${code}`}: ${message}`,
    ...(statement === undefined ? [] : [`    statement: ${statement}`]),
    ...(stack === "" ? [] : [stack]),
    ...(cause === undefined ? [] : [`caused by ${cause.type} ${cause.code ?? ""}: ${cause.message}`]),
  ].join("\n");
}
