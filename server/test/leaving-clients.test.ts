/** Tests clients that disconnect while the service authenticates them or responds. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { EventClient } from "./event-source.js";
import { service, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
});

/** Sends the beginning of a request, and disconnects before the service has found its caller in the database. */
async function sendAndLeave(path: string, type: string, body: string): Promise<void> {
  const { port, hostname } = new URL(s.service.url ?? "");
  await s.store.database.queries.transaction(async (transaction) => {
    await transaction.execute(sql`LOCK TABLE access_tokens IN ACCESS EXCLUSIVE MODE`);
    const read = once(s.service.app.server, "request") as Promise<[IncomingMessage]>;
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\nContent-Type: ${type}\r\n` +
        `Content-Length: ${body.length + 10_000}\r\n\r\n${body}`,
    );
    const [request] = await read;
    // Part of the body arrives with the headers; wait until the service has received the rest.
    await expect.poll(() => request.socket.bytesRead).toBeGreaterThan(body.length);
    const left = new Promise((resolve) => request.socket.once("close", resolve));
    socket.resetAndDestroy();
    await left;
  });
}

describe("a client that disconnects while its token is checked", () => {
  it("releases its slot for files", async () => {
    for (let i = 0; i < s.config.convertConcurrency; i++) {
      await sendAndLeave("/api/v2/files/asi-to-csv/", "multipart/form-data; boundary=b", "--b\r\n");
    }
    const form = new FormData();
    form.append("file", new Blob(["no recording"]), "x.asi");
    const convert = async () =>
      (await s.send("POST", "/api/v2/files/asi-to-csv/", { token: ann.token, body: form })).status;
    await expect.poll(convert).toBe(400);
  });

  it("leaves no part of its body in memory", async () => {
    for (let i = 0; i < 5; i++) {
      await sendAndLeave("/api/v1/activities/", "application/json", `{"name":"${"x".repeat(10_000)}`);
    }
    await s.get("/api/v1/account/", ann.token);
    await expect.poll(() => s.service.app.bodyBudget.held).toBe(0);
  });
});

describe("a client that disconnects during the response", () => {
  it("is in the request log once, when the connection closes", async () => {
    const device = await s.ownedDevice(ann);
    const lines: [path: string | undefined, status: number][] = [];
    const logged = vi.spyOn(s.service.app, "logRequest").mockImplementation((request, _reply, status) => {
      if (request.ctx?.caller?.id === ann.id)
        lines.push([request.routeOptions.config.operation?.path, status]);
    });
    onTestFinished(() => logged.mockRestore());
    const path = `/api/v1/devices/${device.id}/live/`;
    const headers = { Authorization: `Bearer ${ann.token}` };
    const leaving = await EventClient.open(`${s.service.url}${path}`, headers);
    await s.get("/api/v1/account/", ann.token);
    expect(lines).toEqual([["/api/v1/account/", 200]]);
    leaving.leave();
    const line = ["/api/v1/devices/{device}/live/", 200];
    await expect.poll(() => lines.slice(1)).toEqual([line]);
    // The service ends the first response when the second one begins.
    const replaced = await EventClient.open(`${s.service.url}${path}`, headers);
    const newer = await EventClient.open(`${s.service.url}${path}`, headers);
    expect(await replaced.end()).toBe("replaced");
    newer.leave();
    await expect.poll(() => lines.slice(1)).toEqual([line, line, line]);
  });
});
