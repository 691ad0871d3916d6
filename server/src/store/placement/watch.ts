import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import pg from "pg";
import { onBehalfOf } from "../../fairness/callers.js";
import { type SampleServer, sampleServers } from "./placement.js";

/**
 * Interval at which every server is checked, and time without a response after which a server counts as unreachable,
 * ms.
 */
const ASK_MS = 1_000;
const PATIENCE_MS = 3_000;
/** Interval at which the placement and the devices of each server are read, and time limit for the read, ms. */
const PLACEMENT_MS = 30_000;
/** Interval at which the devices of an unreachable server are read, ms. */
const DEVICES_ANEW_MS = 5_000;
const CONNECTION_TIMEOUT_MS = 10_000;

/** SQLSTATE undefined_table. */
const UNDEFINED_TABLE = "42P01";

/** SQLSTATEs too_many_connections, admin_shutdown, crash_shutdown and cannot_connect_now. */
const SESSION_ENDS = new Set(["53300", "57P01", "57P02", "57P03"]);

/**
 * Whether the database of the service refuses or ends the session. If postgres_fdw passes on the same code from a sample server,
 * the error has a context: the statement sent to that server.
 */
const endsSession = ({ code, where }: pg.DatabaseError): boolean =>
  SESSION_ENDS.has(code ?? "") && where === undefined;

/**
 * Thrown in place of a statement that would wait for an unreachable sample server. Responses map its code to status
 * 503.
 */
export class SampleServerAway extends Error {
  override readonly name = "SampleServerAway";
  /** SQLSTATE sqlclient_unable_to_establish_sqlconnection, used by postgres_fdw for an unreachable server. */
  readonly code = "08001";
  readonly severity = "ERROR";
}

/** Whether a statement was refused before it was sent. Its transaction can then continue. */
export function isSampleServerAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SampleServerAway) return true;
  }
  return false;
}

/** Function that closes a connection. */
export type Cut = () => void;

type Log = Pick<FastifyBaseLogger, "info" | "warn">;

interface Watched extends SampleServer {
  /** Reason why it is unreachable; undefined while it responds. */
  problem?: string;
  /** Devices with samples on it, read every 30 s, or every 5 s while it is unreachable. */
  devices: ReadonlySet<number>;
  /** Time of the last read, ms of `performance.now()`. */
  devicesReadAtMs: number;
  /** Reason why the last read failed. */
  devicesProblem?: string;
  client?: pg.Client;
}

/**
 * Prevents an unreachable server from affecting the rest of the service. A connection that waits for such a server is
 * blocked, and PostgreSQL may take more than half a minute to give up. The watch therefore checks each server
 * continuously, through the database of the service, as the statements do. While a server does not respond, statements
 * on its devices fail immediately, and connections that wait for it are closed.
 */
export class SampleServerWatch {
  readonly #connect: () => pg.Client;
  readonly #pool: pg.Pool;
  /** Devices used by the transaction of each connection. */
  readonly #inUse = new Map<Cut, Set<number>>();
  #servers: Watched[] = [];
  #starts = 0;
  #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #log: Log | undefined;

  /**
   * @param pool pool of the database of the service
   * @param connect opens a connection to the same database
   */
  constructor(pool: pg.Pool, connect: () => pg.Client) {
    this.#pool = pool;
    this.#connect = connect;
  }

  /** Returns the servers, with the reason if they are unreachable. */
  get states(): readonly { label: string; problem: string | undefined }[] {
    return this.#servers.map(({ label, problem }) => ({ label, problem }));
  }

  /** Returns the error for a statement on the samples of a device if its server is unreachable; otherwise undefined. */
  refusal(device: number): SampleServerAway | undefined {
    const away = this.#servers.find(({ problem, devices }) => problem !== undefined && devices.has(device));
    return away === undefined
      ? undefined
      : new SampleServerAway(`The sample server ${away.label} is unreachable: ${away.problem}`);
  }

  /** Records that the transaction of a connection uses a device. */
  enter(cut: Cut, device: number): void {
    this.#inUse.set(cut, (this.#inUse.get(cut) ?? new Set()).add(device));
  }

  /** Records that the transaction of a connection has ended. */
  leave(cut: Cut): void {
    this.#inUse.delete(cut);
  }

  /** Starts the checks. Services that share a database share them. */
  async start(log: Log): Promise<void> {
    this.#log = log;
    if (this.#starts++ > 0) return;
    this.#closing = new AbortController();
    const { signal } = this.#closing;
    await this.#readPlacement(signal).catch(() => undefined);
    this.#running = this.#followPlacement(signal);
  }

  async stop(): Promise<void> {
    if (--this.#starts > 0) return;
    this.#closing.abort();
    this.#forget();
    await this.#running;
  }

  #forget(): void {
    for (const { client } of this.#servers) client?.end().catch(() => undefined);
    this.#servers = [];
  }

  async #followPlacement(signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(PLACEMENT_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#readPlacement(signal).catch((error: Error) =>
        this.#log?.warn({ problem: error.message }, "the sample servers are not known"),
      );
    }
  }

  async #readPlacement(signal: AbortSignal): Promise<void> {
    const servers = await this.#own(() => sampleServers(this.#pool));
    const names = (list: readonly SampleServer[]) => list.map(({ name }) => name).join();
    if (signal.aborted || names(servers) === names(this.#servers)) return;
    this.#forget();
    this.#servers = servers.map((server) => ({
      ...server,
      devices: new Set(),
      devicesReadAtMs: Number.NEGATIVE_INFINITY,
    }));
    for (const server of this.#servers) this.#ask(server, signal).catch(() => undefined);
  }

  /** Runs work as a separate caller, because the few statements of the watch must not wait behind other callers. */
  #own<T>(work: () => Promise<T>): Promise<T> {
    const name = "sample-servers";
    return onBehalfOf({ name, group: name }, work);
  }

  async #ask(server: Watched, signal: AbortSignal): Promise<void> {
    try {
      await this.#askAgainAndAgain(server, signal);
    } finally {
      // The connection may have been opened after the server was removed from the list.
      server.client?.end().catch(() => undefined);
    }
  }

  async #askAgainAndAgain(server: Watched, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#servers.includes(server)) {
      const answer = this.#problemOf(server);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<string>((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS, `no response within ${PATIENCE_MS} ms`).unref();
      });
      const first = await Promise.race([answer, late]);
      clearTimeout(timer);
      await this.#note(server, first);
      // PostgreSQL gives up eventually. Opening further connections would accumulate blocked connections.
      const last = await answer;
      if (last !== first) await this.#note(server, last);
      if (last === undefined) await this.#keepDevices(server);
      await sleep(ASK_MS, undefined, { signal, ref: false });
    }
  }

  /** Checks a server. @returns the reason why it is unreachable */
  async #problemOf(server: Watched): Promise<string | undefined> {
    const client = server.client ?? (await this.#opened(server).catch(() => undefined));
    // The database of the service is unreachable; its own errors report that.
    if (client === undefined) return server.problem;
    server.client = client;
    try {
      await client.query(`SELECT 1 FROM ${server.partition} LIMIT 1`);
      return undefined;
    } catch (error) {
      if (error instanceof pg.DatabaseError && !endsSession(error)) {
        // The samples have moved, and the placement will be read again. The server is reachable but has no samples.
        return error.code === UNDEFINED_TABLE ? undefined : error.message;
      }
      client.end().catch(() => undefined);
      delete server.client;
      return server.problem;
    }
  }

  async #opened(server: Watched): Promise<pg.Client> {
    const client = this.#connect();
    client.on("error", () => undefined);
    client.once("end", () => {
      if (server.client === client) delete server.client;
    });
    try {
      await client.connect();
      await client.query(`SET statement_timeout = ${PATIENCE_MS}`);
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    return client;
  }

  async #note(server: Watched, problem: string | undefined): Promise<void> {
    if (problem === undefined) {
      if (server.problem === undefined) return;
      this.#log?.info({ server: server.label }, "a sample server is reachable again");
      delete server.problem;
      delete server.devicesProblem;
      return;
    }
    if (server.problem === undefined)
      this.#log?.warn({ server: server.label, problem }, "a sample server is unreachable");
    server.problem = problem;
    // End requests for known devices immediately, because reading the list again may take long.
    this.#cutOff(server);
    if (performance.now() - server.devicesReadAtMs < DEVICES_ANEW_MS) return;
    await this.#readDevicesAnew(server);
    this.#cutOff(server);
  }

  #cutOff(server: Watched): void {
    for (const [cut, devices] of this.#inUse) {
      if ([...devices].some((device) => server.devices.has(device))) cut();
    }
  }

  /** Reads the devices of a server every 30 s while it responds. Repeats a failed read after the next response. */
  async #keepDevices(server: Watched): Promise<void> {
    if (server.client === undefined || performance.now() - server.devicesReadAtMs < PLACEMENT_MS) return;
    await this.#readDevices(server, server.client).catch(() => undefined);
  }

  /** Reads on a separate connection. If none is available, keeps the devices from the last read. */
  async #readDevicesAnew(server: Watched): Promise<void> {
    const client = this.#connect();
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query(`SET statement_timeout = ${PATIENCE_MS}`);
      await this.#readDevices(server, client);
      delete server.devicesProblem;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== server.devicesProblem)
        this.#log?.warn(
          { server: server.label, problem, devices: server.devices.size },
          "the devices of a sample server could not be read again",
        );
      server.devicesProblem = problem;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Reads the devices of a server. PostgreSQL determines the partition of each device. */
  async #readDevices(server: Watched, client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ id: string }>(
      "SELECT id FROM devices WHERE satisfies_hash_partition('sample_chunks'::regclass, $1, $2, id)",
      [this.#servers.length, server.remainder],
    );
    server.devices = new Set(rows.map(({ id }) => Number(id)));
    server.devicesReadAtMs = performance.now();
  }
}

/** Opens a connection for the watch. */
export const watchConnection = (config: pg.ClientConfig): pg.Client =>
  new pg.Client({ ...config, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS, keepAlive: true });
