import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { PAGE_POLICY } from "../../server/src/http/browser/page-policy.js";

export const BUILT = fileURLToPath(new URL("../dist", import.meta.url));

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
};

export interface Served {
  address: string;
  close(): Promise<void>;
}

/** Serves the built page like an ordinary web server, with the policy of the service, at an address that contains a path. */
export async function servePage(folder = BUILT, policy = PAGE_POLICY): Promise<Served> {
  const server: Server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : null;
    const file = path === null ? null : join(folder, normalize(`/${path === "" ? "index.html" : path}`));
    const found = file === null ? null : await stat(file).catch(() => null);
    if (file === null || found?.isFile() !== true) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-security-policy": policy,
      "cache-control": "no-cache",
    });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}${PREFIX}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const PREFIX = "/some/folder/";
