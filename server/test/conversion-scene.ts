/** Provides a service with a manager, and requests that are written in pieces. */
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import type { Config } from "../src/config/config.js";
import { withOwnService } from "./file-service.js";
import type { TestAccount, TestService } from "./service.js";

export const PATH = "/api/v2/files/asi-to-csv/";
export const fixture = (name: string) =>
  new Uint8Array(readFileSync(join(import.meta.dirname, "../../fixtures", name)));

export function form(
  parts: readonly [name: string, value: string | Uint8Array, fileName?: string][],
): FormData {
  const data = new FormData();
  for (const [name, value, fileName = "x.asi"] of parts) {
    if (typeof value === "string") data.append(name, value);
    else data.append(name, new Blob([value as Uint8Array<ArrayBuffer>]), fileName);
  }
  return data;
}

export const PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="x.asi"\r\n\r\n';

/** Keeps every converted file on disk, where tests can see it. */
export const ON_DISK = { convertMemoryBytes: 0 };

function conversionsOn(s: TestService, ann: TestAccount) {
  /** Returns the current files in the spool of the service. */
  const spooled = (on = s) =>
    readdirSync(join(on.config.dataDir, "uploads"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== "lock")
      .map(({ name }) => name);

  /** Waits until no file is left, which happens when all responses are sent or aborted. */
  const expectNoFiles = () => expect.poll(() => spooled()).toEqual([]);

  async function send(body: BodyInit, headers: Record<string, string> = {}, on = s, path: string = PATH) {
    const response = await fetch(`${on.service.url}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${ann.token}`, ...headers },
      body,
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      json: isJson ? JSON.parse(text) : undefined,
    };
  }

  /** Opens a connection on which a request is written in pieces. */
  async function open(on = s): Promise<{ socket: Socket; answer: () => string; closed: Promise<void> }> {
    const { port, hostname } = new URL(on.service.url ?? "");
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => undefined);
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    await new Promise((resolve) => socket.once("connect", resolve));
    return { socket, answer: () => answer, closed };
  }

  const head = (length: number, by = ann) =>
    `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${by.token}\r\nContent-Length: ${length}\r\n` +
    "Content-Type: multipart/form-data; boundary=b\r\n\r\n";

  /** Sends a recording on a connection that reads nothing, so that the converted file remains on the disk. */
  async function unread(recording: Uint8Array, on: TestService) {
    const tail = "\r\n--b--\r\n";
    const { socket } = await open(on);
    socket.pause();
    socket.write(head(PART.length + recording.length + tail.length) + PART);
    socket.write(recording);
    socket.write(tail);
    await expect.poll(() => spooled(on).length).toBe(1);
    return socket;
  }

  return { s, ann, spooled, expectNoFiles, send, open, head, unread };
}

/** Creates an `it` for a file with a service and a manager who converts recordings. */
export const withConversions = (settings: Partial<Config> = {}) =>
  withOwnService({ convertMaxBytes: 40_000_000, transferGraceMs: 300, ...settings }).extend(
    "conversions",
    { scope: "file" },
    async ({ service }) => conversionsOn(service, await service.manager()),
  );
