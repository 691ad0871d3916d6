import pg from "pg";
import { currentCaller } from "../../fairness/callers.js";
import { FairQueue } from "../../fairness/fair-queue.js";

/** Default maximum time that a query waits in the queue, and again for a new connection, ms. */
const CONNECTION_TIMEOUT_MS = 30_000;

/** Maximum fraction of the connections for one caller. Long queries of one caller therefore leave connections for others. */
const PART_OF_ONE_CALLER = 1 / 3;
/** Maximum fraction for all accounts of one address. */
const PART_OF_ONE_GROUP = 2 / 3;

type Connected = Parameters<pg.Pool["connect"]>[0];

/** A pool that is fair to its callers. Hundreds of queries of one caller do not delay the queries of another. */
export class FairPool extends pg.Pool {
  readonly #queue: FairQueue<string>;
  /** Functions that release the queue slots of connections in use. */
  readonly #ends = new WeakMap<pg.PoolClient, () => void>();
  readonly #timeoutMs: number;

  constructor(config: pg.PoolConfig & { max: number }) {
    const timeoutMs = config.connectionTimeoutMillis ?? CONNECTION_TIMEOUT_MS;
    super({ ...config, connectionTimeoutMillis: timeoutMs });
    this.#timeoutMs = timeoutMs;
    this.#queue = new FairQueue({
      concurrency: config.max,
      // At least two, because a task may hold one connection, for example for a lock, and use another.
      concurrencyPerCaller: Math.max(2, Math.floor(config.max * PART_OF_ONE_CALLER)),
      concurrencyPerGroup: Math.max(2, Math.ceil(config.max * PART_OF_ONE_GROUP)),
    });
    this.on("release", (_error, client) => this.#ends.get(client)?.());
  }

  /** Number of waiting queries and transactions. */
  get waitingForTurn(): number {
    return this.#queue.waiting;
  }

  /** Returns a connection when the caller is next. `pg` also calls this method with a callback, from `query` of the pool. */
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
    // Use the same message as `pg`.
    const timer = setTimeout(
      () => late.abort(new Error("timeout exceeded when trying to connect")),
      this.#timeoutMs,
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
