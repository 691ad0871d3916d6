/**
 * What an error of the database means for a request. Errors come as they are from the driver, or as the cause of the query
 * builder's; they are recognised by their fields, so that a command without a database loads neither.
 */

interface DatabaseError extends Error {
  /** SQLSTATE (PostgreSQL, "Error Codes"), or Node's name of a network error. */
  code?: string;
  /** Set only for errors that the server sent. */
  severity?: string;
}

const isFromServer = ({ severity }: DatabaseError) => severity !== undefined;

/** An error and what caused it, outermost first. */
function* causesOf(error: unknown): Generator<DatabaseError> {
  const seen = new Set<unknown>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    seen.add(current);
    yield current;
  }
}

/** Errors of connections to the database. By themselves they do not differ from those of any other connection. */
const connectionErrors = new WeakSet<object>();

/** Notes that a connection to the database failed with this error. */
export function noteConnectionError(error: unknown): void {
  if (typeof error === "object" && error !== null) connectionErrors.add(error);
}

/**
 * The server is gone, is full, has become a standby, or took too long: classes 08 (connection), 40 (another transaction
 * was in the way, each time), 53 (resources), 57 (operator intervention, statement timeout), 58 (system error), and of
 * others 25006 (read-only), 25P03 and 25P04 (transaction timeouts), 55P03 (lock timeout).
 */
const UNAVAILABLE_STATE = /^(08|40|53|57|58)...$|^(25006|25P03|25P04|55P03)$/;

/** The driver's own errors have no code. The last one is that of the throttle's unlogged table on a standby (0A000). */
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Cannot use a pool after|The embedded database has stopped|cannot access temporary or unlogged relations during recovery)/;

/** Whether the database cannot do the work now, but may do the same work later. */
export function isUnavailable(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (connectionErrors.has(cause) || UNAVAILABLE_MESSAGE.test(cause.message)) return true;
    if (isFromServer(cause) && UNAVAILABLE_STATE.test(cause.code ?? "")) return true;
  }
  return false;
}

/**
 * A value that the types of the database cannot hold, though JSON can: numbers out of range or of too many digits, NUL
 * characters, too deep or too long structures.
 */
const REFUSED_VALUE = /^(22001|22003|22008|22021|22032|22P02|22P03|22P05|54000|54001|54011|54023)$/;

/** Whether the database refused a value as such: the same request will never succeed. */
export function isRefusedValue(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (isFromServer(cause) && REFUSED_VALUE.test(cause.code ?? "")) return true;
  }
  return false;
}
