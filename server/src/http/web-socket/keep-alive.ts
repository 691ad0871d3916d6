import type { WebSocket } from "ws";

/** Number of unanswered pings after which a connection ends. */
const UNANSWERED_PINGS = 3;

/**
 * Pings the client, which keeps the connection open in proxies, and ends a connection whose client no longer answers. A client that
 * is slow to read gets no pings, because `cutSlowReaders` ends its connection. Counts pings instead of measuring time, because
 * answers are read late while the process is busy.
 * @param everyMs interval of the pings
 */
export function keepAlive(socket: WebSocket, everyMs: number): void {
  let unanswered = 0;
  const hear = () => {
    unanswered = 0;
  };
  socket.on("pong", hear).on("message", hear);
  socket.on("ping", (data) => {
    hear();
    // The answers to a client that sends pings and reads nothing must not fill the memory.
    if (socket.bufferedAmount === 0) socket.pong(data, false, () => undefined);
  });
  const timer = setInterval(() => {
    // While the service does not read, it cannot see answers.
    if (socket.isPaused || socket.bufferedAmount > 0) return hear();
    if (unanswered === UNANSWERED_PINGS) return socket.terminate();
    unanswered += 1;
    socket.ping("", false, () => undefined);
  }, everyMs);
  socket.once("close", () => clearInterval(timer));
}
