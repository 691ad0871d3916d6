import type { FastifyInstance, FastifyReply } from "fastify";
import { Gauge } from "prom-client";
import { errors } from "../../domain/change/errors.js";
import { Tally } from "../../fairness/tally.js";
import { onResponseEnd } from "./response-end.js";

/** Maximum number of open connections per process for all users, for the users of one address, and for one user. */
export interface ConnectionLimits {
  process: number;
  address: number;
  user: number;
}

/** Each connection polls the database every `LIVE_POLL_MS`. */
export const LIVE_LIMITS: ConnectionLimits = { process: 256, address: 128, user: 32 };
/** A connection takes up to 12 MB of memory for 100 devices. */
export const GROUP_LIVE_LIMITS: ConnectionLimits = { process: 64, address: 32, user: 8 };
const RETRY_AFTER_MS = 5_000;

/** Reason why the process ends a connection. After `unavailable`, clients connect again when there is room. */
export type Closing = "replaced" | "stopping" | "unavailable";

interface Connection {
  readonly user: number;
  readonly address: string;
  readonly controller: AbortController;
}

/** The work of the newest held connection of a user to a target. */
interface Work {
  readonly ended: Promise<void>;
  /** Whether it waits for the work of the connection whose place it has taken. */
  isWaiting: boolean;
}

/** A connection that is counted until its work has ended. */
export interface HeldConnection {
  /** Aborted like the signal of `open`. */
  readonly signal: AbortSignal;
  /** Resolves when the work of the connection whose place it has taken has ended. */
  readonly replacedWork: Promise<unknown>;
  /** Stops counting the connection. */
  release(): void;
}

/**
 * Long connections of a process. A user has one connection per target, such as a device. A new connection to the target
 * ends the old one immediately. If the process is full, a new connection ends the oldest one of the address with the most.
 */
export class LiveConnections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<string, Connection>();
  readonly #work = new Map<string, Work>();
  readonly #ofUser = new Tally<number>();
  readonly #ofAddress = new Tally<string>();
  #isStopping = false;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Counts a connection until its response has ended.
   * @returns signal that is aborted with a `Closing` when the connection must end, and when the response has ended
   * @throws ServiceError `throttled` if there are too many, `unavailable` if the process is stopping; Error if the client has
   *   disconnected
   */
  open(user: number, target: string | number, reply: Pick<FastifyReply, "raw" | "request">): AbortSignal {
    return this.#add(user, target, reply, (connection) => this.#remove(`${user} ${target}`, connection))
      .connection.controller.signal;
  }

  /**
   * Counts a connection until its work has ended, which may be after its response. The work of the connection whose place it
   * takes ends first; at most one connection of the user to the target waits.
   * @throws as `open`; also `throttled` if a connection is already waiting
   */
  hold(user: number, target: string | number, reply: Pick<FastifyReply, "raw" | "request">): HeldConnection {
    const key = `${user} ${target}`;
    if (this.#work.get(key)?.isWaiting === true) throw errors.throttled(RETRY_AFTER_MS);
    const { connection, freed } = this.#add(user, target, reply, () => undefined);
    const before = new Set([key, freed].flatMap((of) => this.#work.get(of) ?? []));
    let resolve = () => {};
    const ended = new Promise<void>((settle) => {
      resolve = settle;
    });
    const work = { ended, isWaiting: before.size > 0 };
    this.#work.set(key, work);
    const replacedWork = Promise.all([...before].map((one) => one.ended));
    void replacedWork.then(() => {
      work.isWaiting = false;
    });
    const release = () => {
      this.#remove(key, connection);
      if (this.#work.get(key) === work) this.#work.delete(key);
      resolve();
    };
    return { signal: connection.controller.signal, replacedWork, release };
  }

  /**
   * @param onEnd called when the response has ended, before the signal is aborted
   * @returns the connection, and the key of the connection whose place it has taken, or else its own key
   */
  #add(
    user: number,
    target: string | number,
    reply: Pick<FastifyReply, "raw" | "request">,
    onEnd: (connection: Connection) => void,
  ): { connection: Connection; freed: string } {
    if (this.#isStopping) throw errors.unavailable("The service is restarting.", RETRY_AFTER_MS);
    const key = `${user} ${target}`;
    const address = reply.request.onBehalfOf.group;
    const replaced = this.#open.get(key);
    if (!this.#isWithinShare(user, address, replaced)) throw errors.throttled(RETRY_AFTER_MS);
    const isFull = replaced === undefined && this.size >= this.#limits.process;
    const surplus = isFull ? this.#surplus(address) : undefined;
    if (isFull && surplus === undefined) throw errors.throttled(RETRY_AFTER_MS);
    const controller = new AbortController();
    const connection = { user, address, controller };
    onResponseEnd(reply, () => {
      onEnd(connection);
      controller.abort();
    });
    if (replaced !== undefined) this.#end(key, replaced, "replaced");
    if (surplus !== undefined) this.#end(...surplus, "unavailable");
    this.#open.set(key, connection);
    this.#ofUser.add(user, 1);
    this.#ofAddress.add(address, 1);
    return { connection, freed: surplus?.[0] ?? key };
  }

  /** Ends all connections and refuses new ones. */
  stop(): void {
    this.#isStopping = true;
    for (const { controller } of this.#open.values()) controller.abort("stopping" satisfies Closing);
  }

  /** Whether the address and the user may have a further connection, not counting the one that it replaces. */
  #isWithinShare(user: number, address: string, replaced: Connection | undefined): boolean {
    if (replaced?.address !== address && this.#ofAddress.get(address) >= this.#limits.address) return false;
    return replaced !== undefined || this.#ofUser.get(user) < this.#limits.user;
  }

  /** Returns the oldest connection of the address with the most, if it has more than the given one will have. */
  #surplus(address: string): [key: string, connection: Connection] | undefined {
    let most = this.#ofAddress.get(address) + 1;
    let found: [string, Connection] | undefined;
    for (const entry of this.#open) {
      const count = this.#ofAddress.get(entry[1].address);
      if (count > most) [most, found] = [count, entry];
    }
    return found;
  }

  #end(key: string, connection: Connection, reason: Closing): void {
    this.#remove(key, connection);
    connection.controller.abort(reason);
  }

  #remove(key: string, connection: Connection): void {
    if (this.#open.get(key) !== connection) return;
    this.#open.delete(key);
    this.#ofUser.add(connection.user, -1);
    this.#ofAddress.add(connection.address, -1);
  }
}

/** Shows the number of open connections in the metrics of an application. */
export function measureConnections(
  app: FastifyInstance,
  connections: LiveConnections,
  name: string,
  help: string,
): void {
  new Gauge({
    name,
    help,
    registers: [app.metrics],
    collect() {
      this.set(connections.size);
    },
  });
}

/** Live connections of an application to one device or to several devices. */
export interface LiveConnectionsOfApp {
  single: LiveConnections;
  group: LiveConnections;
}

/** Returns the live connections of an application. The metrics count them, and they end when the application stops. */
export function liveConnectionsOf(app: FastifyInstance): LiveConnectionsOfApp {
  const single = new LiveConnections(LIVE_LIMITS);
  const group = new LiveConnections(GROUP_LIVE_LIMITS);
  measureConnections(app, single, "asi_live_connections", "Open connections with live data of a device");
  measureConnections(
    app,
    group,
    "asi_group_live_connections",
    "Open connections with live data of a squad, of a session or of all devices of a user",
  );
  // End them before the server waits for the end of all responses.
  app.addHook("preClose", async () => {
    single.stop();
    group.stop();
  });
  return { single, group };
}
