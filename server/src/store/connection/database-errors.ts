/**
 * Classifies database errors for requests. An error is from the driver or the cause of an error of the query builder.
 * Recognises errors by their fields, so a command without a database need not load the modules of the driver.
 */

interface DatabaseError extends Error {
  /** SQLSTATE (PostgreSQL, "Error Codes"), or the code of a network error. */
  code?: string;
  /** Set only for errors sent by the server. */
  severity?: string;
}

const isFromServer = ({ severity }: DatabaseError) => severity !== undefined;

/** Yields an error and its causes, outermost first. */
function* causesOf(error: unknown): Generator<DatabaseError> {
  const seen = new Set<unknown>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    seen.add(current);
    yield current;
  }
}

/** Errors of database connections. Nothing else distinguishes them from errors of other connections. */
const connectionErrors = new WeakSet<object>();

/** Records that a database connection failed with this error. */
export function noteConnectionError(error: unknown): void {
  if (typeof error === "object" && error !== null) connectionErrors.add(error);
}

/**
 * The server is unreachable, full, a standby, or took too long: classes 08 (connection), 40 (conflict with another
 * transaction in every attempt), 53 (resources), 57 (operator intervention, statement timeout), 58 (system error), and the
 * codes 25006 (read-only), 25P03 and 25P04 (transaction timeouts), 55P03 (lock timeout).
 */
const UNAVAILABLE_STATE = /^(08|40|53|57|58)...$|^(25006|25P03|25P04|55P03)$/;

/**
 * Messages of driver errors, which have no code. The last one concerns the unlogged table of the throttle on a standby (0A000).
 */
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Cannot use a pool after|The embedded database has stopped|cannot access temporary or unlogged relations during recovery)/;

/** Whether the error of the database is temporary. The work may then succeed later. */
export function isUnavailable(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (connectionErrors.has(cause) || UNAVAILABLE_MESSAGE.test(cause.message)) return true;
    if (isFromServer(cause) && UNAVAILABLE_STATE.test(cause.code ?? "")) return true;
  }
  return false;
}

/** Whether a request may succeed later, because the database is unavailable or the disk of the data folder is full. */
export const isOutage = (error: Error & { code?: unknown }): boolean =>
  isUnavailable(error) || error.code === "ENOSPC";

/** SQLSTATEs of a running server that rejects the user or the password, or that has no such database, or a closed one. */
const REFUSED_CONNECTION = /^(28|3D)...$|^(42501|55000)$/;

/** Whether a running server has refused a connection. The driver has no codes for missing or wrong passwords (SASL). */
export function isRefusedConnection(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (!connectionErrors.has(cause)) continue;
    if (REFUSED_CONNECTION.test(cause.code ?? "") || cause.message.startsWith("SASL")) return true;
  }
  return false;
}

/**
 * SQLSTATEs for a JSON value that the database cannot store: a number out of range or with too many digits, a NUL character, or a
 * structure that is too deep or too long.
 */
const REFUSED_VALUE = /^(22001|22003|22008|22021|22032|22P02|22P03|22P05|54000|54001|54011|54023)$/;

/** Whether the database rejected a value. The same request can then never succeed. */
export function isRefusedValue(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (isFromServer(cause) && REFUSED_VALUE.test(cause.code ?? "")) return true;
  }
  return false;
}

/** Returns the message of the database server in an error or its causes; undefined for other errors. */
export function databaseMessage(error: unknown): string | undefined {
  for (const cause of causesOf(error)) if (isFromServer(cause)) return cause.message;
  return undefined;
}
