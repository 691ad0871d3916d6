import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { service, startService, type TestAccount, type TestDevice, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;
let device: TestDevice;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
  device = await s.ownedDevice(ann);
});

/** Resolves when a connection ends, also by a reset, because the server may close it while bytes are in transit. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));

describe("a client that is refused while sending its body", () => {
  const MIB = 1024 * 1024;
  const bodies = {
    "of a size over the limit": { path: () => `/api/v1/managers/${ann.id}/`, method: "PATCH", start: "{" },
    "of a bulk load that is not base64": {
      path: () => `/api/v1/devices/${device.id}/bulk-load/`,
      method: "POST",
      start: '{"asi_b64":"???',
    },
    "of another type": {
      path: () => `/api/v1/managers/${ann.id}/`,
      method: "PATCH",
      start: "{",
      type: "text/plain",
    },
  };

  it.each(Object.entries(bodies))(
    "reads the response, and continues to use the connection: %s",
    async (_, body) => {
      const { hostname, port } = new URL(s.service.url ?? "");
      const socket = connect(Number(port), hostname);
      let received = "";
      socket.setEncoding("latin1").on("data", (text) => {
        received += text;
      });
      const host = `Host: ${hostname}\r\nAuthorization: Bearer ${ann.token}`;
      const type = "type" in body ? body.type : "application/json";
      socket.write(
        `${body.method} ${body.path()} HTTP/1.1\r\n${host}\r\nContent-Type: ${type}\r\n` +
          `Content-Length: ${4 * MIB}\r\n\r\n${body.start}`,
      );
      while (!received.includes("\r\n\r\n")) await once(socket, "data");
      expect(received).toMatch(/^HTTP\/1\.1 4\d\d /);
      received = "";
      socket.write("x".repeat(4 * MIB - body.start.length));
      socket.write(`GET /api/v1/account/ HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`);
      await once(socket, "end");
      socket.destroy();
      expect(received).toMatch(/^HTTP\/1\.1 200 /);
    },
  );
});

describe("a client that never ends its body", () => {
  /** Sends a request whose body continues until the connection is closed. @returns the start of the response */
  const sendWithoutEnd = async (of: TestService, requestLine: string) => {
    const { hostname, port } = new URL(of.service.url ?? "");
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    let received = "";
    socket.setEncoding("latin1").on("data", (text) => {
      received += text;
    });
    socket.write(
      `${requestLine} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    const drops = setInterval(() => socket.write(" "), 500);
    try {
      await closed(socket);
    } finally {
      clearInterval(drops);
      socket.destroy();
    }
    return received.slice(0, "HTTP/1.1 200".length);
  };

  it("is disconnected after each response, even if the request is refused before any hook runs", async () => {
    // The connections end only because of the responses.
    const patient = await startService({ requestTimeoutMs: 3_600_000 });
    const responses = {
      "POST /%zz": "HTTP/1.1 400",
      "POST /nowhere/": "HTTP/1.1 404",
      "DELETE /api/v1/athletes/": "HTTP/1.1 405",
      "OPTIONS /api/v1/athletes/": "HTTP/1.1 204",
      "GET /api/schema/": "HTTP/1.1 200",
      "GET /health/live/": "HTTP/1.1 200",
    };
    const received = Object.keys(responses).map(async (line) => [line, await sendWithoutEnd(patient, line)]);
    expect(Object.fromEntries(await Promise.all(received))).toEqual(responses);
  });
});

describe("a connection", () => {
  const pipelined = async (count: number) => {
    const { hostname, port } = new URL(s.service.url ?? "");
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    let received = "";
    socket.setEncoding("latin1").on("data", (text) => {
      received += text;
    });
    const head = `GET /health/live/ HTTP/1.1\r\nHost: ${hostname}\r\n`;
    socket.write(`${`${head}\r\n`.repeat(count - 1)}${head}Connection: close\r\n\r\n`);
    await closed(socket);
    return received.split("HTTP/1.1 200 ").length - 1;
  };

  it("can have 16 unanswered requests", async () => {
    expect(await pipelined(16)).toBe(16);
  });

  it("is closed after a thousand requests; the address can soon open another connection", async () => {
    expect(await pipelined(1_000)).toBeLessThanOrEqual(16);
    // Wait for this, or later tests would find no free connection.
    await expect.poll(() => pipelined(1)).toBe(1);
  });
});
