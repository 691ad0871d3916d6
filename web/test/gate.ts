import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A port in front of a service. While it is shut, it refuses every connection, as if the service had stopped. */
export class Gate {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  /** @param address of the service */
  constructor(address: string) {
    this.#target = new URL(address);
  }

  /** The address with a trailing slash. */
  get address(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Lets connections through at the same address. */
  async open(): Promise<void> {
    if (this.#server !== null) return;
    const server = createServer((from) => {
      const to = connect(Number(this.#target.port), this.#target.hostname);
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Breaks every connection, and refuses new ones. */
  async shut(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }
}
