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

/** Reason why the process ends a connection. */
export type Closing = "replaced" | "stopping";

interface Connection {
  readonly user: number;
  readonly address: string;
  readonly controller: AbortController;
}

/** The work of the newest held connection of a user to a target. */
interface Work {
  readonly ended: Promise<void>;
  /** Whether it waits for the work of the connection that it has replaced. */
  isWaiting: boolean;
}

/** A connection that is counted until its work has ended. */
export interface HeldConnection {
  /** Aborted like the signal of `open`. */
  readonly signal: AbortSignal;
  /** Resolves when the work of the connection that it replaces has ended. */
  readonly replacedWork: Promise<void>;
  /** Stops counting the connection. */
  release(): void;
}

/**
 * Long connections of a process. A user has one connection per target, such as a device. A new connection to the target
 * ends the old one immediately.
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
    return this.#add(user, target, reply, (connection) => this.#remove(`${user} ${target}`, connection));
  }

  /**
   * Counts a connection until its work has ended, which may be after its response. The work of the replaced connection ends
   * first; at most one connection waits.
   * @throws as `open`; also `throttled` if a connection is already waiting
   */
  hold(user: number, target: string | number, reply: Pick<FastifyReply, "raw" | "request">): HeldConnection {
    const key = `${user} ${target}`;
    const before = this.#work.get(key);
    if (before?.isWaiting === true) throw errors.throttled(RETRY_AFTER_MS);
    const signal = this.#add(user, target, reply, () => undefined);
    const connection = this.#open.get(key);
    let resolve = () => {};
    const ended = new Promise<void>((settle) => {
      resolve = settle;
    });
    const work = { ended, isWaiting: before !== undefined };
    this.#work.set(key, work);
    const replacedWork = before?.ended ?? Promise.resolve();
    void replacedWork.then(() => {
      work.isWaiting = false;
    });
    const release = () => {
      if (connection !== undefined) this.#remove(key, connection);
      if (this.#work.get(key) === work) this.#work.delete(key);
      resolve();
    };
    return { signal, replacedWork, release };
  }

  /** @param onEnd called when the response has ended, before the signal is aborted */
  #add(
    user: number,
    target: string | number,
    reply: Pick<FastifyReply, "raw" | "request">,
    onEnd: (connection: Connection) => void,
  ): AbortSignal {
    if (this.#isStopping) throw errors.unavailable("The service is restarting.", RETRY_AFTER_MS);
    const key = `${user} ${target}`;
    const address = reply.request.onBehalfOf.group;
    const replaced = this.#open.get(key);
    if (!this.#hasRoom(user, address, replaced)) throw errors.throttled(RETRY_AFTER_MS);
    const controller = new AbortController();
    const connection = { user, address, controller };
    onResponseEnd(reply, () => {
      onEnd(connection);
      controller.abort();
    });
    if (replaced !== undefined) {
      this.#remove(key, replaced);
      replaced.controller.abort("replaced" satisfies Closing);
    }
    this.#open.set(key, connection);
    this.#ofUser.add(user, 1);
    this.#ofAddress.add(address, 1);
    return controller.signal;
  }

  /** Ends all connections and refuses new ones. */
  stop(): void {
    this.#isStopping = true;
    for (const { controller } of this.#open.values()) controller.abort("stopping" satisfies Closing);
  }

  /** Whether a further connection is allowed, not counting the one that it replaces. */
  #hasRoom(user: number, address: string, replaced: Connection | undefined): boolean {
    if (replaced?.address !== address && this.#ofAddress.get(address) >= this.#limits.address) return false;
    return (
      replaced !== undefined ||
      (this.size < this.#limits.process && this.#ofUser.get(user) < this.#limits.user)
    );
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
