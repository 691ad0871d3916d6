import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config/config.js";
import type { Transfer } from "./response-share.js";

/** Number of checks of a transfer during the time by which it may fall behind. */
const CHECKS = 8;

/** Factor for the pause of a client that has read ahead, because operating systems read responses in bursts. */
const READING_CREDIT = 6;

/** Compares the rate of a transfer with the minimum rate. */
export class TransferRate {
  /** Time between two checks. */
  readonly intervalMs: number;
  readonly #bytesPerMs: number;
  readonly #graceMs: number;
  readonly #creditMs: number;
  #bytes: number;
  #lagMs = 0;

  /**
   * @param bytes bytes transferred before the start
   * @param creditMs maximum lead of a transfer over the minimum rate
   */
  constructor(config: Config, bytes: number, creditMs = 0) {
    this.#bytesPerMs = config.transferMinBytesPerSecond / 1000;
    this.#graceMs = config.transferGraceMs;
    this.intervalMs = config.transferGraceMs / CHECKS;
    this.#creditMs = creditMs;
    this.#bytes = bytes;
  }

  /**
   * Checks the transfer. Call it once per interval.
   * @param bytes bytes transferred so far
   * @param waits whether the service waits for the client
   * @returns whether the client is too slow
   */
  check(bytes: number, waits: boolean): boolean {
    const moved = bytes - this.#bytes;
    this.#bytes = bytes;
    if (!waits) return false;
    this.#lagMs = Math.max(-this.#creditMs, this.#lagMs + this.intervalMs - moved / this.#bytesPerMs);
    return this.#lagMs > this.#graceMs;
  }
}

/** Internals of Node.js. No public property contains the number of written bytes that the system has accepted. */
interface Handle {
  bytesWritten: number;
  writeQueueSize: number;
}

const handleOf = (socket: Socket) => (socket as unknown as { _handle?: Handle | null })._handle;

/**
 * Returns the bytes transferred by a request. Bytes that have arrived but are unread wait for the service, not for the client.
 */
export function transferOf(request: IncomingMessage): Transfer {
  const { socket, complete, readableLength } = request;
  const { bytesWritten, writeQueueSize } = handleOf(socket) ?? { bytesWritten: 0, writeQueueSize: 0 };
  return {
    bytes: socket.bytesRead + bytesWritten - writeQueueSize,
    waitsForClient: writeQueueSize > 0 || (!complete && readableLength === 0),
  };
}

/** Disconnects clients that read their responses too slowly, because unread data occupies memory or disk. */
export function cutSlowReaders(app: FastifyInstance, config: Config): void {
  const rates = new Map<Socket, TransferRate>();
  app.server.on("connection", (socket: Socket) => {
    rates.set(socket, new TransferRate(config, 0, READING_CREDIT * config.transferGraceMs));
    socket.once("close", () => rates.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, rate] of rates) {
      const handle = handleOf(socket);
      if (handle === undefined || handle === null) continue;
      const { bytesWritten, writeQueueSize } = handle;
      if (rate.check(bytesWritten - writeQueueSize, writeQueueSize > 0)) socket.destroy();
    }
  }, config.transferGraceMs / CHECKS).unref();
  app.addHook("onClose", async () => clearInterval(timer));
}
