/**
 * Tests that clients that read large responses slowly delay only themselves: the next body is created when they have read the
 * previous ones.
 */
import { connect, type Socket } from "node:net";
import { beforeAll, expect, it } from "vitest";
import { stopAfterTest } from "./cleanup.js";
import { startService, type TestAccount, type TestService } from "./service.js";
import { newActivity } from "./team.js";

const MIB = 1024 * 1024;
const COURSE_BYTES = 5 * MIB - 100;
/**
 * A caller has 32 MiB, three quarters of which are for large bodies. After four bodies of 5 MiB, there is no space for another
 * one of up to 8 MiB.
 */
const AT_A_TIME = 4;
const CLIENTS = 8;

async function activityWithCourse(owner: TestAccount, bytes = COURSE_BYTES): Promise<string> {
  const path = `/api/v1/activities/${await newActivity(s, owner)}/`;
  const json = { sport: "soccer", gpx: "x".repeat(bytes) };
  const { status } = await s.send("PATCH", path, { token: owner.token, json: { json } });
  expect(status).toBe(200);
  return path;
}

/** A client that reads the beginning of a response, and pauses until the test continues it. */
class SlowClient {
  readonly #socket: Socket;
  readonly started: Promise<void>;
  hasStarted = false;

  constructor(path: string, token: string) {
    const { hostname, port } = new URL(s.service.url ?? "");
    this.#socket = connect(Number(port), hostname);
    stopAfterTest(async () => void this.#socket.destroy());
    this.started = new Promise((resolve) => {
      this.#socket.once("readable", () => {
        this.hasStarted = true;
        resolve();
      });
    });
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
  }

  /** Reads the whole response. @returns the status and the number of bytes */
  async read(): Promise<[status: string, bytes: number]> {
    let bytes = 0;
    let status = "";
    for await (const chunk of this.#socket) {
      if (bytes === 0) status = String(chunk).slice(9, 12);
      bytes += chunk.length;
    }
    return [status, bytes];
  }
}

let s: TestService;

beforeAll(async () => {
  s = await startService({ responseMemoryBytes: 64 * MIB, responseMemoryPerCallerBytes: 32 * MIB });
});

it("an account that reads slowly has only a few large responses in memory; its other responses wait", async () => {
  const [ann, bob] = [await s.manager(), await s.manager()];
  const [path, own] = [await activityWithCourse(ann), await activityWithCourse(bob)];
  const clients = Array.from({ length: CLIENTS }, () => new SlowClient(path, ann.token));
  await new Promise<void>((resolve) => {
    let count = 0;
    for (const { started } of clients) {
      started.then(() => {
        count += 1;
        if (count === AT_A_TIME) resolve();
      });
    }
  });
  // Meanwhile, others can read responses, and ann can read small ones.
  expect((await s.get(own, bob.token)).body.json.gpx).toHaveLength(COURSE_BYTES);
  expect((await s.get(`/api/v1/managers/${ann.id}/`, ann.token)).status).toBe(200);
  expect(clients.filter(({ hasStarted }) => hasStarted)).toHaveLength(AT_A_TIME);
  const read = await Promise.all(clients.map((client) => client.started.then(() => client.read())));
  for (const [status, bytes] of read) {
    expect(status).toBe("200");
    expect(bytes).toBeGreaterThan(COURSE_BYTES);
  }
});

it("25 concurrent loads of a large response all succeed; HEAD and 304 have no body", async () => {
  const ann = await s.manager();
  const path = await activityWithCourse(ann, MIB);
  const { headers } = await s.get(path, ann.token);
  const loads = Array.from({ length: 25 }, () => s.get(path, ann.token));
  for (const { status, body } of await Promise.all(loads)) {
    expect([status, body.json.gpx.length]).toEqual([200, MIB]);
  }
  const head = await s.send("HEAD", path, { token: ann.token });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, headers.get("content-length")]);
  const same = await s.get(path, ann.token, { "If-None-Match": headers.get("etag") ?? "" });
  expect([same.status, same.body]).toEqual([304, ""]);
});
