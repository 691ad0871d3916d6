import type { EventEmitter } from "node:events";
import type { Writable } from "node:stream";
import { LRUCache } from "lru-cache";
import pg from "pg";
import { SampleDevice } from "../placement/sample-device.js";
import type { SampleServerWatch } from "../placement/watch.js";
import { noteConnectionError } from "./database-errors.js";

/** Maximum number of prepared statements per connection; each takes tens of kilobytes of database memory. */
const MAX_STATEMENTS = 128;
/** Number of statements that a connection remembers after their first use. */
const MAX_SEEN = 256;
/** Maximum length of a prepared statement. Longer statements insert many rows and rarely repeat with the same length. */
const MAX_TEXT_LENGTH = 4096;

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = "25006";

export interface PreparingClientConfig extends pg.ClientConfig {
  /**
   * Whether to prepare statements. False if statements of one client may run in different sessions, as with a pooler; default
   * true.
   */
  prepares?: boolean;
  /** Returns the watch of the sample servers, if there are any. Called before each statement. */
  sampleServers?: () => SampleServerWatch | undefined;
}

type Send = (statement: unknown, ...rest: unknown[]) => unknown;

/** Internals of `pg`: its named statements, and the protocol message that closes one. */
interface Connection extends EventEmitter {
  stream: Writable & { destroy(): void };
  parsedStatements: Record<string, string>;
  close(message: { type: "S"; name: string }): void;
}

/**
 * A connection that prepares statements with parameters. The database parses a prepared statement once, and plans it
 * once when one plan serves all parameters (PostgreSQL, "PREPARE"). This halves the time of the small queries of a
 * request. If there are too many prepared statements, the connection closes the least recently used one. It prepares a
 * statement only at the second use, because a list with unusual filters is rarely repeated.
 */
export class PreparingClient extends pg.Client {
  #readOnly = false;

  constructor(config?: PreparingClientConfig) {
    super(config);
    const prepares = config?.prepares ?? true;
    // The pool listens only to idle connections, and an error without a listener would end the process. The user of the
    // connection gets the error from the query.
    this.on("error", noteConnectionError);
    const { connection } = this as unknown as { connection: Connection };
    connection.on("errorMessage", ({ code }: { code?: string }) => {
      if (code === READ_ONLY) this.#readOnly = true;
    });
    const send = this.query.bind(this) as Send;
    const names = new Names();
    const cut = () => connection.stream.destroy();
    connection.on("readyForQuery", ({ status }: { status: string }) => {
      if (status === "I") config?.sampleServers?.()?.leave(cut);
    });
    connection.on("end", () => config?.sampleServers?.()?.leave(cut));
    const prepared: Send = (statement, ...rest) => {
      const watch = config?.sampleServers?.();
      if (watch !== undefined) {
        const devices = devicesOf(statement, rest[0]);
        for (const device of devices) {
          const away = watch.refusal(device);
          if (away !== undefined) return refuse(away, rest.at(-1));
        }
        for (const device of devices) watch.enter(cut, device);
      }
      const sent = prepares ? named(statement, rest[0], names) : unnamed(statement);
      // This message is sent together with the query, without waiting for a response. It works in a failed transaction
      // too.
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
    // The pool passes a callback to this method.
    const noted = (done: (error?: Error | null) => void) =>
      connect((error) => {
        noteConnectionError(error);
        done(error);
      });
    this.connect = noted as typeof this.connect;
  }

  /** Whether the server rejected a change because it is a standby. A new connection may reach the primary. */
  get isReadOnly(): boolean {
    return this.#readOnly;
  }
}

/** Returns the devices whose samples a statement reads or changes. */
function devicesOf(statement: unknown, values: unknown): number[] {
  const parameters = values ?? (isConfig(statement) ? statement.values : undefined);
  if (!Array.isArray(parameters)) return [];
  return parameters.flatMap((parameter) => (parameter instanceof SampleDevice ? [parameter.id] : []));
}

/** Fails a statement in the same way as the driver. */
function refuse(error: Error, callback: unknown): Promise<never> | undefined {
  if (typeof callback !== "function") return Promise.reject(error);
  process.nextTick(callback as (error: Error) => void, error);
  return undefined;
}

/** Returns the statement without the name given by a library. */
const unnamed = (statement: unknown): unknown =>
  isConfig(statement) && statement.name !== undefined ? { ...statement, name: undefined } : statement;

/** Returns the statement with a name if it has text and parameters and should be prepared. */
function named(statement: unknown, values: unknown, names: Names): unknown {
  const config = typeof statement === "string" ? { text: statement } : statement;
  if (!isConfig(config) || config.name !== undefined) return statement;
  const parameters = values ?? config.values;
  if (!Array.isArray(parameters) || parameters.length === 0) return statement;
  return { ...config, name: names.of(config.text) };
}

/** Excludes objects that submit themselves. */
const isConfig = (statement: unknown): statement is pg.QueryConfig =>
  typeof statement === "object" && statement !== null && "text" in statement && !("submit" in statement);

/** Names of the prepared statements of one connection. */
class Names {
  #dropped: string[] = [];
  readonly #names = new LRUCache<string, string>({
    max: MAX_STATEMENTS,
    dispose: (name) => this.#dropped.push(name),
  });
  readonly #seen = new LRUCache<string, true>({ max: MAX_SEEN });
  #count = 0;

  /** Returns the name of the statement with this text; undefined if it should not be prepared. */
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

  /** Returns the names discarded since the last call. Their statements must be deallocated in the database. */
  takeDropped(): string[] {
    const dropped = this.#dropped;
    if (dropped.length > 0) this.#dropped = [];
    return dropped;
  }
}
