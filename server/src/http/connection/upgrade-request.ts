import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** Whether a request asks for a WebSocket (RFC 6455 section 4.2.1). */
const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";

/** Whether a response is in progress on a connection. Uses an internal property of Node.js. */
const isAnswering = (socket: Socket) =>
  ((socket as { _httpMessage?: unknown })._httpMessage ?? null) !== null;

/**
 * A request that can only upgrade to a WebSocket. A server can ignore other values of `Upgrade` (RFC 9110 section 7.8), such as
 * `h2c` from Java's client, but Node.js accepts every value once there is a listener for upgrades. Node.js sets `upgrade` when it
 * has parsed the request, and reads it to decide. A request that is pipelined behind another one stays an ordinary request, because
 * its connection is in use.
 */
export class UpgradeRequest extends IncomingMessage {
  #isAsked: boolean | undefined;
  #isWebSocket: boolean | undefined;

  get upgrade(): boolean {
    if (this.#isAsked !== true) return false;
    if (this.method === "CONNECT") return true;
    this.#isWebSocket ??= asksForWebSocket(this) && !isAnswering(this.socket);
    return this.#isWebSocket;
  }

  set upgrade(isAsked: boolean | null) {
    // The constructor of the base class sets it before this class has its fields.
    if (#isAsked in this) this.#isAsked = isAsked === true;
  }
}

/** Whether a request opens a WebSocket. */
export const isUpgrade = (request: IncomingMessage): boolean =>
  request instanceof UpgradeRequest && request.upgrade;
