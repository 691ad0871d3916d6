import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.js";

/** How often a transfer is looked at within the time that it may lag behind. */
const LOOKS = 8;

/** A client that read ahead may pause this many times longer: operating systems read answers in bursts. */
const READING_CREDIT = 6;

/** Compares what was transferred with what a slow but honest client transfers. */
export class Pace {
  /** Time between two looks. */
  readonly intervalMs: number;
  readonly #bytesPerMs: number;
  readonly #graceMs: number;
  readonly #creditMs: number;
  #bytes: number;
  #lagMs = 0;

  /**
   * @param bytes transferred before the beginning
   * @param creditMs how far ahead of the pace a transfer can get
   */
  constructor(config: Config, bytes: number, creditMs = 0) {
    this.#bytesPerMs = config.transferMinBytesPerSecond / 1000;
    this.#graceMs = config.transferGraceMs;
    this.intervalMs = config.transferGraceMs / LOOKS;
    this.#creditMs = creditMs;
    this.#bytes = bytes;
  }

  /**
   * Looks at the transfer, once in each interval.
   * @param bytes transferred so far
   * @param waits whether the service waits for the client
   * @returns whether the client is too slow
   */
  look(bytes: number, waits: boolean): boolean {
    const moved = bytes - this.#bytes;
    this.#bytes = bytes;
    if (!waits) return false;
    this.#lagMs = Math.max(-this.#creditMs, this.#lagMs + this.intervalMs - moved / this.#bytesPerMs);
    return this.#lagMs > this.#graceMs;
  }
}

/** Internals of Node: nothing public tells how much of the written bytes the system has taken. */
interface Handle {
  bytesWritten: number;
  writeQueueSize: number;
}

const handleOf = (socket: Socket) => (socket as unknown as { _handle?: Handle | null })._handle;

/** Cuts off clients that read their answers too slowly: what is not read stays in memory or on disk. */
export function cutSlowReaders(app: FastifyInstance, config: Config): void {
  const paces = new Map<Socket, Pace>();
  app.server.on("connection", (socket: Socket) => {
    paces.set(socket, new Pace(config, 0, READING_CREDIT * config.transferGraceMs));
    socket.once("close", () => paces.delete(socket));
  });
  const looks = setInterval(() => {
    for (const [socket, pace] of paces) {
      const handle = handleOf(socket);
      if (handle === undefined || handle === null) continue;
      const { bytesWritten, writeQueueSize } = handle;
      if (pace.look(bytesWritten - writeQueueSize, writeQueueSize > 0)) socket.destroy();
    }
  }, config.transferGraceMs / LOOKS).unref();
  app.addHook("onClose", async () => clearInterval(looks));
}
