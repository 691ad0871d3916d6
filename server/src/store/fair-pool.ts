import pg from "pg";
import { currentCaller } from "../callers.js";
import { FairQueue } from "../fair-queue.js";

/** How long a query waits for its turn, and then for a connection to be made, ms. */
const CONNECTION_TIMEOUT_MS = 30_000;

/** One caller gets this part of the connections at most, so that the long queries of one leave some to the others. */
const PART_OF_ONE_CALLER = 1 / 3;
/** All accounts of one address get this part at most. */
const PART_OF_ONE_GROUP = 2 / 3;

type Connected = Parameters<pg.Pool["connect"]>[0];

/** A pool whose connections callers take in turns: hundreds of queries of one do not delay the only one of another. */
export class FairPool extends pg.Pool {
  readonly #queue: FairQueue<string>;
  /** Ends the turns of connections that are in use. */
  readonly #ends = new WeakMap<pg.PoolClient, () => void>();

  constructor(config: pg.PoolConfig & { max: number }) {
    super({ ...config, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS });
    this.#queue = new FairQueue({
      concurrency: config.max,
      // At least two: a task may keep one connection, as for a lock, and use another.
      concurrencyPerCaller: Math.max(2, Math.floor(config.max * PART_OF_ONE_CALLER)),
      concurrencyPerGroup: Math.max(2, Math.ceil(config.max * PART_OF_ONE_GROUP)),
    });
    this.on("release", (_error, client) => this.#ends.get(client)?.());
  }

  /** The pool's own `query` calls this too, with a callback. */
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
      const { name, group } = currentCaller();
      return await this.#queue.acquire(`${name} ${group}`, late.signal, group);
    } finally {
      clearTimeout(timer);
    }
  }
}
