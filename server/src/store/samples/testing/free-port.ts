import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Port below the range that systems assign to outgoing connections and to servers without a fixed port (Linux: from
 * 32768, others: from 49152). A port from that range could be assigned to another test before its user listens, or
 * while its user restarts.
 */
const [FIRST, END] = [12_000, 32_000];

/** Returns a port of this machine that is currently free. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      ({ code }: NodeJS.ErrnoException) => code !== "EADDRINUSE" && Promise.reject(code),
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
