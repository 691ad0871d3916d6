import type { WebSocket } from "ws";

/** Number of pings without a sign of life after which a connection ends. */
const UNANSWERED_PINGS = 3;

/**
 * Pings the client, which keeps the connection open in proxies, and ends a connection whose client no longer answers. A client that
 * is slow to read is not pinged: `cutSlowReaders` ends its connection. Counts pings instead of measuring time, because answers are
 * read late while the process is busy.
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
    // A client that only sends pings must not fill the memory with their answers.
    if (socket.bufferedAmount === 0) socket.pong(data, false, () => undefined);
  });
  const timer = setInterval(() => {
    // Answers are unread while the service does not read.
    if (socket.isPaused || socket.bufferedAmount > 0) return hear();
    if (unanswered === UNANSWERED_PINGS) return socket.terminate();
    unanswered += 1;
    socket.ping("", false, () => undefined);
  }, everyMs);
  socket.once("close", () => clearInterval(timer));
}
