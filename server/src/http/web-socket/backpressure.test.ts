/** Memory of a connection whose other side is slow. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { EventStream } from "../connection/event-stream.js";
import { OPTIONS } from "./install.js";
import { keepAlive } from "./keep-alive.js";
import { MessageBody } from "./message-body.js";
import { MessageLines } from "./message-lines.js";
import { sendEvents } from "./send-events.js";

/** Opens a connection. @returns the side of the service, and the side of the client */
async function connection(): Promise<[service: WebSocket, client: WebSocket]> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", ...OPTIONS });
  await once(server, "listening");
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[service]] = await Promise.all([once(server, "connection"), once(client, "open")]);
  onTestFinished(() => {
    client.terminate();
    service.terminate();
    server.close();
  });
  return [service, client];
}

/** Waits until a number no longer changes. */
async function settled(read: () => number): Promise<number> {
  let before = -1;
  while (before !== read()) {
    before = read();
    await sleep(100);
  }
  return before;
}

const EVENT_BYTES = 64 * 1024;

describe("a client that does not read", () => {
  it("has only one event in memory, because the next one is created when the system has accepted the last one", async () => {
    const [service, client] = await connection();
    let created = 0;
    async function* endless() {
      for (;;) {
        created += 1;
        yield { event: "samples", data: JSON.stringify("x".repeat(EVENT_BYTES)) };
      }
    }
    client.pause();
    const sending = sendEvents(service, new EventStream(endless(), 15_000));
    const beforeReading = await settled(() => created);
    expect(service.bufferedAmount).toBeGreaterThan(0);
    expect(service.bufferedAmount).toBeLessThan(2 * EVENT_BYTES);
    client.resume();
    while (created < beforeReading + 10) await sleep(10);
    client.terminate();
    await sending;
  });

  it("gets the next line only after it has read the last one", async () => {
    const [service, client] = await connection();
    client.pause();
    const lines = new MessageLines(service);
    const line = { text: "x".repeat(EVENT_BYTES) };
    while (service.bufferedAmount === 0) lines.write(line);
    const buffered = service.bufferedAmount;
    for (let n = 0; n < 100; n++) lines.write(line);
    expect(service.bufferedAmount).toBe(buffered);
  });

  it("gets no answers to its pings, so that they do not fill the memory", async () => {
    const [service, client] = await connection();
    keepAlive(service, 60_000);
    client.pause();
    while (service.bufferedAmount === 0) service.send("x".repeat(EVENT_BYTES));
    const buffered = service.bufferedAmount;
    let pings = 0;
    service.on("ping", () => void pings++);
    for (let n = 0; n < 1_000; n++) client.ping();
    while (pings < 1_000) await sleep(10);
    expect(service.bufferedAmount).toBeLessThanOrEqual(buffered);
  });
});

describe("a client that sends thousands of messages and pings at once", () => {
  it("does not delay others, because each iteration of the event loop handles only one of them", async () => {
    const [service, client] = await connection();
    let handled = 0;
    let most = 0;
    service.on("message", () => void handled++).on("ping", () => void handled++);
    for (let n = 0; n < 1_000; n++) {
      client.send(Buffer.from([n]));
      client.ping();
    }
    while (handled < 2_000) {
      const before = handled;
      await nextTurn();
      most = Math.max(most, handled - before);
    }
    expect(most).toBe(1);
  });
});

describe("a service that does not read", () => {
  it("buffers little, because it stops reading from the connection, and resumes later", async () => {
    const [service, client] = await connection();
    const body = new MessageBody(service);
    const message = Buffer.alloc(16 * 1024);
    let sent = 0;
    const send = () => {
      sent += 1;
      client.send(message, () => {
        if (client.readyState === client.OPEN && sent < 10_000) send();
      });
    };
    send();
    await settled(() => sent);
    expect(service.isPaused).toBe(true);
    expect(body.readableLength).toBeLessThan(256 * 1024);
    let read = 0;
    body.on("data", ({ length }: Buffer) => {
      read += length;
    });
    while (read < 10 * 1024 * 1024) await sleep(10);
    expect(service.isPaused).toBe(false);
  });

  it("keeps the connection, although it cannot see the answers to its pings", async () => {
    const [service, client] = await connection();
    const body = new MessageBody(service);
    keepAlive(service, 20);
    client.send(Buffer.alloc(128 * 1024));
    while (!service.isPaused) await sleep(5);
    await sleep(200);
    expect(service.readyState).toBe(service.OPEN);
    body.resume();
    await sleep(200);
    expect(service.readyState).toBe(service.OPEN);
  });
});
