import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { closeUnused } from "./unused-connections.js";

it("a stopping server closes unused connections, but not upgraded ones", async () => {
  const upgraded = new Set<Duplex>();
  const server = createServer();
  const startClosing = closeUnused(server, (socket) => upgraded.has(socket));
  server.on("upgrade", (_request, socket) => {
    upgraded.add(socket);
    socket.write("welcome");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const open = () => connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [other, unused] = [open(), open()];
  onTestFinished(() => {
    other.destroy();
    server.close();
  });
  await once(unused, "connect");
  other.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  await once(other, "data");
  const stopClosing = startClosing();
  onTestFinished(stopClosing);
  await once(unused.resume(), "close");
  const [connection] = upgraded;
  expect(connection?.destroyed).toBe(false);
});
