import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import { Turns } from "../turns.js";

/** How long a query waits for a connection; with the embedded engine's only session, for the transaction before it. */
const CONNECTION_TIMEOUT_MS = 30_000;

/** One caller gets this part of the connections at most, so that the long queries of one leave some to the others. */
const PART_OF_ONE_CALLER = 1 / 3;

/** For whom queries are made. The key may change while they are: a request is an address's until it is authenticated. */
export interface OnBehalfOf {
  caller: string;
}

/** The service's own work: looking for jobs, and commands of the operator. */
export const SERVICE: OnBehalfOf = { caller: "service" };

/** The name of an account in turns. */
export const callerOfAccount = (id: number): string => `account ${id}`;

const whose = new AsyncLocalStorage<OnBehalfOf>();

/**
 * Runs work whose queries wait for connections in the caller's turns. It passes through all that the work calls and awaits:
 * a parameter for it would have to go through the query builder.
 */
export const onBehalfOf = <T>(caller: OnBehalfOf, work: () => T): T => whose.run(caller, work);

type Connected = Parameters<pg.Pool["connect"]>[0];

/**
 * A pool whose connections are given to callers in turns: somebody with hundreds of queries that wait does not delay the
 * one of somebody else.
 */
export class FairPool extends pg.Pool {
  readonly #turns: Turns<string>;
  /** Ends the turns of connections that are in use. */
  readonly #ends = new WeakMap<pg.PoolClient, () => void>();

  constructor(config: pg.PoolConfig & { max: number }) {
    super({ ...config, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS });
    this.#turns = new Turns({
      concurrency: config.max,
      // At least two: a task may keep one connection, as for a lock, and use another.
      concurrencyPerCaller: Math.max(2, Math.floor(config.max * PART_OF_ONE_CALLER)),
    });
    this.on("release", (_error, client) => this.#ends.get(client)?.());
  }

  /** The pool's own `query` comes here too, with a callback. */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const connected = this.#connectInTurn();
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => undefined),
    );
    return undefined;
  }

  async #connectInTurn(): Promise<pg.PoolClient> {
    const end = await this.#turn();
    try {
      const client = await super.connect();
      this.#ends.set(client, end);
      return client;
    } catch (error) {
      end();
      throw error;
    }
  }

  async #turn(): Promise<() => void> {
    const late = new AbortController();
    // The words of the pool's own error.
    const timer = setTimeout(
      () => late.abort(new Error("timeout exceeded when trying to connect")),
      CONNECTION_TIMEOUT_MS,
    );
    timer.unref();
    try {
      return await this.#turns.take((whose.getStore() ?? SERVICE).caller, late.signal);
    } finally {
      clearTimeout(timer);
    }
  }
}
