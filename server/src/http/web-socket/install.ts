import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import webSocket from "@fastify/websocket";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { requireOwnOrigin } from "../browser/own-origin.js";
import { isUpgrade } from "../connection/upgrade-request.js";

/** Maximum size of a message. The service reads at most this many bytes more than it has stored. */
export const MESSAGE_MAX_BYTES = 256 * 1024;

/** Options of the library `ws`. */
export const OPTIONS = {
  maxPayload: MESSAGE_MAX_BYTES,
  // Samples as JSON are compressible, but each connection would need memory for its own compressor.
  perMessageDeflate: false,
  // Each iteration of the event loop handles one message or ping of a connection. A single read may contain hundreds of thousands of them.
  allowSynchronousEvents: false,
  // `keepAlive` answers pings.
  autoPong: false,
  // Each fragment, however short, holds the memory of a whole read (64 KiB). Browsers do not divide messages of this size.
  maxFragments: 16,
  // Pieces of an incomplete message, which also hold memory. A message in the smallest usual packets has about 500.
  maxBufferedChunks: 1024,
  // Timeout of the answer to the message that closes a connection, ms.
  closeTimeout: 5_000,
};

declare module "fastify" {
  interface FastifyInstance {
    /** Open connections that have left HTTP, or are about to. */
    upgraded: Set<Duplex>;
  }
}

/** Name of the constraint of routes that only WebSockets reach. */
const CONSTRAINT = "upgrade";
export const ONLY_WEB_SOCKETS = { [CONSTRAINT]: "websocket" };

type Constraints = NonNullable<NonNullable<FastifyServerOptions["routerOptions"]>["constraints"]>;
type ConstraintStrategy = Constraints[string];
type Handler = Parameters<ReturnType<ConstraintStrategy["storage"]>["set"]>[1];

/** Option of the router that separates the routes of WebSockets from other routes on the same path. */
export const upgradeConstraint: ConstraintStrategy = {
  name: CONSTRAINT,
  storage() {
    const handlers = new Map<string, Handler>();
    return {
      get: (value) => handlers.get(value) ?? null,
      set: (value, handler) => void handlers.set(value, handler),
    };
  },
  deriveConstraint: (request) => (isUpgrade(request) ? "websocket" : ""),
};

/**
 * Installs WebSockets. Call it before the first route, and before requests are authenticated. Pages of other sites can open
 * WebSockets, because browsers do not ask for permission (CORS) first. So `requireWebSocket` checks the origin, and
 * `credentialOf` accepts no cookies.
 */
export async function installWebSockets(app: FastifyInstance): Promise<void> {
  const upgraded = new Set<Duplex>();
  const note = (_request: IncomingMessage, connection: Duplex) => {
    upgraded.add(connection);
    connection.once("close", () => upgraded.delete(connection));
  };
  app.server.on("upgrade", note);
  app.decorate("upgraded", upgraded);
  await app.register(webSocket, {
    options: OPTIONS,
    // The connections close themselves, with a reason. Without a listener, Node.js treats further upgrades as ordinary requests.
    preClose: (done) => {
      app.server.off("upgrade", note);
      done();
    },
    // The library has already closed the connection, for example after a message that is too large.
    errorHandler: (error, _socket, request) => request.log.info({ err: error }, "a WebSocket failed"),
  });
}

/** Version of the protocol (RFC 6455), and a key of 16 bytes in Base64. */
const VERSION = "13";
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/**
 * Checks a request that opens a WebSocket. An incomplete handshake would fail only after the handler has run.
 * @throws ServiceError `forbidden` for a page of another site, `malformed`
 */
export function requireWebSocket(app: FastifyInstance, request: FastifyRequest): void {
  requireOwnOrigin(app, request);
  const { "sec-websocket-key": key = "", "sec-websocket-version": version } = request.headers;
  if (!KEY.test(key) || version !== VERSION)
    throw errors.malformed("The handshake of the WebSocket is incomplete, or has a version other than 13.");
  const hasRoute = request.is404 || request.routeOptions.config.isWebSocket === true;
  if (!hasRoute) throw errors.malformed("This path does not accept WebSockets.");
}

/**
 * Ends the connection of a refused upgrade after the response, if no hook of the library runs. Node.js no longer watches this
 * connection.
 */
export function endRefusedUpgrade({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (isUpgrade(raw)) reply.raw.once("finish", () => raw.socket.destroySoon());
}
