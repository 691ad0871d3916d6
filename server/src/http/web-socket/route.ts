import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from "fastify";
import type { WebSocket } from "ws";
import { endRequestSpan } from "../../observability/tracing.js";
import { EventStream } from "../connection/event-stream.js";
import type { LineStream } from "../connection/line-stream.js";
import { onResponseEnd } from "../connection/response-end.js";
import { ONLY_WEB_SOCKETS } from "./install.js";
import { keepAlive } from "./keep-alive.js";
import { MessageBody } from "./message-body.js";
import { MessageLines } from "./message-lines.js";
import { sendEvents } from "./send-events.js";

/** The data that a connection sends and receives. */
type Session = EventStream | LineStream;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether only WebSockets reach the route. */
    isWebSocket?: boolean;
  }
}

interface WebSocketRoute {
  config: FastifyContextConfig;
  onRequest: onRequestAsyncHookHandler;
  /** Runs the handler of the operation. */
  begin(request: FastifyRequest, reply: FastifyReply): Promise<Session>;
}

const SWITCHING_PROTOCOLS = 101;

/**
 * Routes the WebSockets of a path. The handler runs before the handshake, so a refusal is an ordinary response with a status and a
 * problem.
 */
export function routeWebSockets(
  app: FastifyInstance,
  url: string,
  { config, onRequest, begin }: WebSocketRoute,
): void {
  const begun = new WeakMap<FastifyRequest, { session: Session; reply: FastifyReply }>();
  app.route({
    method: "GET",
    url,
    exposeHeadRoute: false,
    constraints: ONLY_WEB_SOCKETS,
    config: { ...config, isWebSocket: true },
    onRequest,
    async preHandler(request, reply) {
      const session = await begin(request, reply);
      request.responseShare?.resize(0);
      if (!(session instanceof EventStream)) {
        try {
          // The handshake can fail.
          onResponseEnd(reply, () => session.cancel());
        } catch (error) {
          // The client has disconnected while the session began.
          session.cancel();
          throw error;
        }
      }
      begun.set(request, { session, reply });
    },
    handler: (_request, reply) => reply.callNotFound(),
    wsHandler(socket, request) {
      const found = begun.get(request);
      if (found === undefined) throw new Error("The handler has not run");
      connect(app, socket, request, found.session);
      // The hook `onResponse` is not called, because there is no response.
      socket.once("close", () => app.logRequest(request, found.reply, SWITCHING_PROTOCOLS));
    },
  });
}

function connect(app: FastifyInstance, socket: WebSocket, request: FastifyRequest, session: Session): void {
  if (request.span !== undefined) {
    // The connection may last for days.
    endRequestSpan(request.span, SWITCHING_PROTOCOLS, true);
    request.span = undefined;
  }
  keepAlive(socket, app.config.liveHeartbeatMs);
  if (session instanceof EventStream) void sendEvents(socket, session);
  else session.start(new MessageBody(socket), new MessageLines(socket));
}
