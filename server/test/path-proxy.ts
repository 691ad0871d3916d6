/** A proxy that serves a service under a path prefix, and records the responses of the service. */
import { createServer, type Server, request as send } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenAnswer {
  method: string;
  /** Path from the client, with the prefix. */
  path: string;
  status: number;
}

export class PathProxy {
  readonly answers: SeenAnswer[] = [];
  /** Origin of the service; set when the service has started with the address of this proxy. */
  target = "";
  /** Whether a response to a path remains incomplete: the client gets its headers, but its body does not end. */
  holds: (path: string) => boolean = () => false;
  /** Number of responses that remain incomplete. */
  held = 0;
  readonly #server: Server;
  readonly #prefix: string;

  private constructor(prefix: string) {
    this.#prefix = prefix;
    this.#server = createServer((request, response) => {
      const { method = "GET", url = "/", headers } = request;
      const answer = (status: number) => this.answers.push({ method, path: url, status });
      if (!url.startsWith(`${prefix}/`)) {
        answer(404);
        response.writeHead(404).end();
        return;
      }
      const passedOn = send(`${this.target}${url.slice(prefix.length)}`, { method, headers }, (upstream) => {
        answer(upstream.statusCode ?? 0);
        response.writeHead(upstream.statusCode ?? 502, upstream.headers);
        if (this.holds(url)) {
          response.flushHeaders();
          this.held += 1;
        } else upstream.pipe(response);
      });
      passedOn.on("error", () => response.destroy());
      response.on("close", () => passedOn.destroy());
      request.pipe(passedOn);
    });
  }

  /**
   * Starts a proxy.
   * @param prefix path prefix such as `/tracking`, without a trailing slash
   */
  static async start(prefix: string): Promise<PathProxy> {
    const proxy = new PathProxy(prefix);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** Address for clients of the service, as in `BASE_URL`. */
  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#prefix}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
