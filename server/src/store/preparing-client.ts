import type { EventEmitter } from "node:events";
import type { Writable } from "node:stream";
import { LRUCache } from "lru-cache";
import pg from "pg";
import { noteConnectionError } from "./database-errors.js";

/** Statements that a connection keeps; each takes tens of kilobytes of the database's memory. */
const MAX_STATEMENTS = 128;
/** Texts that a connection remembers to have seen once. */
const MAX_SEEN = 256;
/** A longer statement inserts many rows, and rarely repeats with the same length. */
const MAX_TEXT_LENGTH = 4096;

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = "25006";

type Send = (statement: unknown, ...rest: unknown[]) => unknown;

/** Of `pg`: what it knows of the statements that it has named, and the protocol's message that gives one up. */
interface Connection extends EventEmitter {
  stream: Writable;
  parsedStatements: Record<string, string>;
  close(message: { type: "S"; name: string }): void;
}

/**
 * A connection in which statements with parameters are parsed once, and planned once where a plan serves all parameters
 * (PostgreSQL, "PREPARE"): a request's small queries take half the time then. Of too many the one that was not used for
 * the longest time goes; one that comes only once, as a list with unusual filters does, gets no name at all.
 */
export class PreparingClient extends pg.Client {
  #readOnly = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    // The pool listens only while it has the connection itself. An error that nobody listens to ends the process; who uses
    // the connection learns it from the query.
    this.on("error", noteConnectionError);
    const { connection } = this as unknown as { connection: Connection };
    connection.on("errorMessage", ({ code }: { code?: string }) => {
      if (code === READ_ONLY) this.#readOnly = true;
    });
    const send = this.query.bind(this) as Send;
    const names = new Names();
    const prepared: Send = (statement, ...rest) => {
      const sent = named(statement, rest[0], names);
      // Together with the query: one message more, and no answer to wait for. It works in a failed transaction too.
      connection.stream.cork();
      try {
        for (const name of names.takeDropped()) {
          delete connection.parsedStatements[name];
          if (connection.stream.writable) connection.close({ type: "S", name });
        }
        return send(sent, ...rest);
      } finally {
        connection.stream.uncork();
      }
    };
    this.query = prepared as typeof this.query;
    const connect = this.connect.bind(this) as (done: (error?: Error | null) => void) => void;
    // The pool calls it with a callback.
    const noted = (done: (error?: Error | null) => void) =>
      connect((error) => {
        noteConnectionError(error);
        done(error);
      });
    this.connect = noted as typeof this.connect;
  }

  /** Whether the server refused a change because it is a standby: a new connection may find the one that takes changes. */
  get isReadOnly(): boolean {
    return this.#readOnly;
  }
}

/** The statement with its name, if it has text and parameters, and gets one. */
function named(statement: unknown, values: unknown, names: Names): unknown {
  const config = typeof statement === "string" ? { text: statement } : statement;
  if (!isConfig(config) || config.name !== undefined) return statement;
  const parameters = values ?? config.values;
  if (!Array.isArray(parameters) || parameters.length === 0) return statement;
  return { ...config, name: names.of(config.text) };
}

/** Not one of those objects that send themselves. */
const isConfig = (statement: unknown): statement is pg.QueryConfig =>
  typeof statement === "object" && statement !== null && "text" in statement && !("submit" in statement);

/** The names by which one connection knows its statements. */
class Names {
  #dropped: string[] = [];
  readonly #names = new LRUCache<string, string>({
    max: MAX_STATEMENTS,
    dispose: (name) => this.#dropped.push(name),
  });
  readonly #seen = new LRUCache<string, true>({ max: MAX_SEEN });
  #count = 0;

  /** The name of the statement with this text; none where it is not worth one. */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || text.length > MAX_TEXT_LENGTH) return known;
    if (!this.#seen.has(text)) {
      this.#seen.set(text, true);
      return undefined;
    }
    const name = `statement_${++this.#count}`;
    this.#names.set(text, name);
    return name;
  }

  /** Discarded names; their statements are to be deallocated in the database. */
  takeDropped(): string[] {
    const dropped = this.#dropped;
    if (dropped.length > 0) this.#dropped = [];
    return dropped;
  }
}
