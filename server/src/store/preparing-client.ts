import pg from "pg";

/** Statements that a connection keeps; each takes tens of kilobytes of the database's memory. */
const MAX_STATEMENTS = 128;
/** A longer one is an insertion of many rows, and seldom comes again in the same length. */
const MAX_TEXT_LENGTH = 4096;

type Send = (statement: unknown, ...rest: unknown[]) => unknown;

/**
 * A connection in which statements with parameters are parsed once, and planned once where a plan serves all parameters
 * (PostgreSQL, "PREPARE"): a request's small queries take half the time then.
 */
export class PreparingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const names = new Map<string, string>();
    const send = this.query.bind(this) as Send;
    const prepared: Send = (statement, ...rest) => send(named(statement, rest[0], names), ...rest);
    this.query = prepared as typeof this.query;
  }
}

/** The statement with its name, if it has text and parameters, and gets one. */
function named(statement: unknown, values: unknown, names: Map<string, string>): unknown {
  const config = typeof statement === "string" ? { text: statement } : statement;
  if (!isConfig(config) || config.name !== undefined) return statement;
  const parameters = values ?? config.values;
  if (!Array.isArray(parameters) || parameters.length === 0) return statement;
  return { ...config, name: nameOf(config.text, names) };
}

/** Not one of those objects that send themselves. */
const isConfig = (statement: unknown): statement is pg.QueryConfig =>
  typeof statement === "object" && statement !== null && "text" in statement && !("submit" in statement);

/** The name by which the connection knows the statement; none where it is not worth one. */
function nameOf(text: string, names: Map<string, string>): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENTS || text.length > MAX_TEXT_LENGTH) return known;
  const name = `statement_${names.size + 1}`;
  names.set(text, name);
  return name;
}
