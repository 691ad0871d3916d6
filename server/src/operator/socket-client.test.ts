import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { OPERATOR_SOCKET, runOnServer } from "./socket-client.js";

/** Runs a command on a server with this response. */
async function answered(listener: RequestListener) {
  const folder = mkdtempSync(join(tmpdir(), "asi-operator-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const server = createServer(listener).listen(join(folder, OPERATOR_SOCKET));
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return runOnServer(folder, "app list", {}, "ann");
}

it.each<[string, RequestListener]>([
  ["before it responds", (request) => request.socket.destroy()],
  [
    "during its response",
    (_, response) => {
      response.writeHead(200, { "Content-Length": 100 }).write('{"items":');
      setTimeout(() => response.destroy(), 20);
    },
  ],
])("a server that ends %s leaves it unknown whether the command was executed", async (_, end) => {
  await expect(answered(end)).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringContaining("may have been executed"),
  });
});

it("a server that responds returns the result of the command", async () => {
  expect(await answered((_, response) => response.end('{"items":[]}'))).toEqual({ items: [] });
});
