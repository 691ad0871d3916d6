import type { FastifyInstance, FastifyReply } from "fastify";
import { Gauge } from "prom-client";
import { errors } from "../../domain/change/errors.js";
import { onResponseEnd } from "./response-end.js";

/** Open connections with live data of one process: of all users, and of one user. Each looks into the database every `LIVE_POLL_MS`. */
const MAX_CONNECTIONS = 256;
const MAX_CONNECTIONS_OF_USER = 32;
const RETRY_AFTER_MS = 5_000;

/** Why the process ends a connection. */
export type Closing = "replaced" | "stopping";

/** The connections with live data of a process. A user has one for each device; a new one ends the old one at once. */
export class LiveConnections {
  readonly #open = new Map<string, AbortController>();
  readonly #ofUser = new Map<number, number>();
  #isStopping = false;

  get size(): number {
    return this.#open.size;
  }

  /**
   * Counts a connection until its response has ended.
   * @returns aborted with a `Closing` when it has to end, and when the response has ended
   * @throws ServiceError `throttled` when there are too many, `unavailable` when the process stops; Error when the client has left
   */
  open(user: number, device: number, reply: Pick<FastifyReply, "raw" | "request">): AbortSignal {
    if (this.#isStopping) throw errors.unavailable("The service is restarting.", RETRY_AFTER_MS);
    const key = `${user} ${device}`;
    const replaced = this.#open.get(key);
    const ofUser = this.#ofUser.get(user) ?? 0;
    if (replaced === undefined && (this.size >= MAX_CONNECTIONS || ofUser >= MAX_CONNECTIONS_OF_USER)) {
      throw errors.throttled(RETRY_AFTER_MS);
    }
    const controller = new AbortController();
    onResponseEnd(reply, () => {
      this.#remove(key, user, controller);
      controller.abort();
    });
    if (replaced !== undefined) {
      this.#remove(key, user, replaced);
      replaced.abort("replaced" satisfies Closing);
    }
    this.#open.set(key, controller);
    this.#ofUser.set(user, (this.#ofUser.get(user) ?? 0) + 1);
    return controller.signal;
  }

  /** Ends all connections, and opens no others. */
  stop(): void {
    this.#isStopping = true;
    for (const controller of this.#open.values()) controller.abort("stopping" satisfies Closing);
  }

  #remove(key: string, user: number, controller: AbortController): void {
    if (this.#open.get(key) !== controller) return;
    this.#open.delete(key);
    const left = (this.#ofUser.get(user) ?? 1) - 1;
    if (left > 0) this.#ofUser.set(user, left);
    else this.#ofUser.delete(user);
  }
}

/** The connections of an application: counted in its metrics, and ended when it stops. */
export function liveConnectionsOf(app: FastifyInstance): LiveConnections {
  const connections = new LiveConnections();
  new Gauge({
    name: "asi_live_connections",
    help: "Open connections with live data of a device",
    registers: [app.metrics],
    collect() {
      this.set(connections.size);
    },
  });
  // Before the server waits for the end of all responses.
  app.addHook("preClose", async () => connections.stop());
  return connections;
}
