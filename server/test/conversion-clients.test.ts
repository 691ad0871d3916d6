import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, vi } from "vitest";
import { ResponseBudget } from "../src/http/connection/response-budget.js";
import { form, ON_DISK, PART, withConversions } from "./conversion-scene.js";
import { walk } from "./recordings.js";
import { type TestAccount, TestService } from "./service.js";

const it = withConversions(ON_DISK);

/** A recording whose CSV exceeds the buffers of a connection. */
let made: Promise<Uint8Array> | undefined;
const long = () => {
  made ??= walk("A-1", "2024-03-01T10:00:00Z", 200_000);
  return made;
};

describe("conversion", () => {
  it("leaves no files if a client disconnects during its upload", async ({
    conversions: { open, head, spooled, expectNoFiles, send },
  }) => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 30_000);
    const { socket } = await open();
    socket.write(head(recording.length + 1000) + PART);
    socket.write(recording.subarray(0, 3_000_000));
    await expect.poll(() => spooled().length).toBe(1);
    socket.destroy();
    await expectNoFiles();
    expect((await send(form([["file", recording]]))).status).toBe(200);
  });

  it("disconnects a client that closes its side or stops sending, and leaves no files", async ({
    conversions: { open, head, expectNoFiles, send },
  }) => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 3_000);
    for (const end of [true, false]) {
      const { socket, closed } = await open();
      socket.write(head(recording.length + 100_000) + PART);
      socket.write(recording);
      if (end) socket.end();
      await closed;
      await expectNoFiles();
    }
    expect((await send(form([["file", recording]]))).status).toBe(200);
  });

  it("leaves no files if a client does not read its response or disconnects during the response", async ({
    conversions: { open, head, spooled, expectNoFiles },
  }) => {
    const recording = await long();
    const tail = "\r\n--b--\r\n";
    const { socket } = await open();
    // The response is not read, so only the buffers of the system are filled.
    socket.pause();
    socket.write(head(PART.length + recording.length + tail.length) + PART);
    socket.write(recording);
    await new Promise((sent) => socket.write(tail, sent));
    await expect.poll(() => spooled().length).toBe(1);
    socket.destroy();
    await expectNoFiles();
  });

  it("does not count a client that disconnects during the response as a failure of the service", async ({
    conversions: { s, open, head, expectNoFiles },
  }) => {
    const failures = vi.spyOn(s.service.app.log, "error");
    const recording = await long();
    const tail = "\r\n--b--\r\n";
    const { socket, closed } = await open();
    socket.write(head(PART.length + recording.length + tail.length) + PART);
    socket.write(recording);
    socket.write(tail);
    socket.once("data", () => socket.destroy());
    await closed;
    await expectNoFiles();
    expect(failures).not.toHaveBeenCalled();
    failures.mockRestore();
  });

  it("sends the complete response even if bytes that are not HTTP follow the upload", async ({
    conversions: { open, head, expectNoFiles },
  }) => {
    const recording = await long();
    const tail = "\r\n--b--\r\n";
    const { socket, answer, closed } = await open();
    socket.write(head(PART.length + recording.length + tail.length) + PART);
    socket.write(recording);
    socket.write(tail);
    socket.once("data", () => socket.write("GARBAGE\r\n\r\n"));
    await closed;
    expect(answer()).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer().match(/HTTP\/1\.1/g)).toHaveLength(1);
    await expectNoFiles();
  });

  it("runs once per user and up to half of the configured number per address; other requests wait", async ({
    conversions: { s, send, spooled, open, head, ann },
  }) => {
    const patient = await TestService.start(s.store, {
      ...ON_DISK,
      convertConcurrency: 4,
      convertConcurrencyPerUser: 1,
      transferGraceMs: 60_000,
    });
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 3);
    const [bob, eve] = [await s.manager(), await s.manager()];
    const by = (user: TestAccount) => ({ Authorization: `Bearer ${user.token}` });
    const convertBy = (user: TestAccount) => send(form([["file", recording]]), by(user), patient);
    const hold = async (user: TestAccount, files: number) => {
      // A converted file is removed shortly after its response has ended.
      await expect.poll(() => spooled(patient).length).toBe(files - 1);
      const { socket } = await open(patient);
      socket.write(head(1_000_000, user) + PART);
      socket.write(recording);
      await expect.poll(() => spooled(patient).length).toBe(files);
      return socket;
    };
    const first = await hold(ann, 1);
    const again = await convertBy(ann);
    expect([again.status, Object.keys(again.json)]).toEqual([429, ["detail"]]);
    expect(Number(again.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await convertBy(bob)).status).toBe(200);
    const second = await hold(bob, 2);
    const waiting = convertBy(eve);
    first.destroy();
    expect((await waiting).status).toBe(200);
    second.destroy();
    await patient.stop();
  });

  it("releases its slot when the CSV is complete, even if the client does not read it", async ({
    conversions: { s, open, head, send, spooled },
  }) => {
    const patient = await TestService.start(s.store, {
      convertConcurrencyPerUser: 1,
      transferGraceMs: 60_000,
    });
    const recording = await long();
    const tail = "\r\n--b--\r\n";
    const { socket } = await open(patient);
    socket.pause();
    socket.write(head(PART.length + recording.length + tail.length) + PART);
    socket.write(recording);
    socket.write(tail);
    // Wait for this before the next request, which could otherwise take the slot first.
    await expect.poll(() => spooled(patient)).toEqual(["1"]);
    const small = await walk("A-1", "2024-03-01T10:00:00Z", 3);
    await expect.poll(async () => (await send(form([["file", small]]), {}, patient)).status).toBe(200);
    // The first response is still on disk.
    await expect.poll(() => spooled(patient)).toEqual(["1"]);
    socket.destroy();
    await patient.stop();
  });

  it("keeps eight unread files of a user; the ninth request is refused with a time to retry", async ({
    conversions: { s, open, head, spooled, send },
  }) => {
    const patient = await TestService.start(s.store, {
      convertConcurrency: 16,
      convertConcurrencyPerUser: 16,
      transferGraceMs: 60_000,
    });
    const recording = await long();
    const tail = "\r\n--b--\r\n";
    const unread: Socket[] = [];
    while (unread.length < 8) {
      const { socket } = await open(patient);
      socket.pause();
      socket.write(head(PART.length + recording.length + tail.length) + PART);
      socket.write(recording);
      socket.write(tail);
      unread.push(socket);
      await expect.poll(() => spooled(patient).length).toBe(unread.length);
    }
    const small = form([["file", await walk("A-1", "2024-03-01T10:00:00Z", 3)]]);
    const ninth = await send(small, {}, patient);
    expect([ninth.status, Object.keys(ninth.json)]).toEqual([429, ["detail"]]);
    expect(Number(ninth.headers.get("retry-after"))).toBeGreaterThan(0);
    const bob = await s.manager();
    expect((await send(small, { Authorization: `Bearer ${bob.token}` }, patient)).status).toBe(200);
    unread[0]?.destroy();
    await expect.poll(async () => (await send(small, {}, patient)).status).toBe(200);
    for (const socket of unread) socket.destroy();
    await patient.stop();
  });

  it("limits the disk space for unread files; the next file for the user waits until others are read", async ({
    conversions: { s, unread, send, spooled },
  }) => {
    const recording = await long();
    const patient = await TestService.start(s.store, {
      ...ON_DISK,
      // A user gets a quarter of the space, which is enough for one file but not for two.
      convertDiskBytes: 6 * recording.length,
      transferGraceMs: 60_000,
    });
    const socket = await unread(recording, patient);
    const bob = await s.manager();
    const small = await walk("A-1", "2024-03-01T10:00:00Z", 3);
    const next = send(form([["file", recording]]), {}, patient);
    // Use a small file, because the next request does not wait forever.
    const others = await send(form([["file", small]]), { Authorization: `Bearer ${bob.token}` }, patient);
    expect(others.status).toBe(200);
    await expect.poll(() => spooled(patient)).toEqual(["1"]);
    socket.destroy();
    expect((await next).status).toBe(200);
    await patient.stop();
  });

  it("reserves disk space for a compressed file before its result is stored", async ({
    conversions: { s, send },
  }) => {
    const on = await TestService.start(s.store, ON_DISK);
    const compressed = gzipSync(await long());
    const reserving = vi.spyOn(ResponseBudget.prototype, "reserve");
    try {
      const { status, bytes } = await send(form([["file", compressed]]), {}, on);
      expect([status, compressed.length < bytes.length]).toEqual([200, true]);
      const reserved = reserving.mock.calls.map(([, size]) => size);
      expect(reserved[0]).toBeLessThan(bytes.length);
      expect(Math.max(...reserved)).toBeGreaterThanOrEqual(bytes.length);
    } finally {
      reserving.mockRestore();
    }
    await on.stop();
  });

  it("disconnects a client that sends one byte at a time, but not one that sends fast enough", async ({
    conversions: { s, open, head },
  }) => {
    const strict = await TestService.start(s.store, {
      transferGraceMs: 800,
      transferMinBytesPerSecond: 16_384,
    });
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 3);
    const slow = await open(strict);
    slow.socket.write(head(1_000_000) + PART);
    slow.socket.write(recording);
    const dripping = setInterval(() => slow.socket.write("x"), 50);
    await slow.closed;
    clearInterval(dripping);
    const steady = await open(strict);
    const filler = Buffer.alloc(4096, "x");
    // The upload takes 2 s, which is much longer than the grace period.
    const count = 20;
    const tail = "\r\n--b--\r\n";
    const field = '\r\n--b\r\nContent-Disposition: form-data; name="other"; filename="y"\r\n\r\n';
    const length = PART.length + recording.length + field.length + count * filler.length + tail.length;
    steady.socket.write(head(length) + PART);
    steady.socket.write(recording);
    steady.socket.write(field);
    for (let i = 0; i < count; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      steady.socket.write(filler);
    }
    steady.socket.write(tail);
    await expect.poll(() => steady.answer()).toMatch(/^HTTP\/1\.1 200 /);
    steady.socket.destroy();
    await strict.stop();
  });

  it("disconnects a client that reads its response too slowly", async ({
    conversions: { s, open, spooled, head },
  }) => {
    const strict = await TestService.start(s.store, {
      transferGraceMs: 200,
      transferMinBytesPerSecond: 10_000_000,
    });
    const recording = await long();
    const tail = "\r\n--b--\r\n";
    const { socket } = await open(strict);
    socket.pause();
    // Start to poll before the upload, because the file exists only while the service waits for the client.
    const isSpooled = expect.poll(() => spooled(strict).length, { interval: 5 }).toBe(1);
    socket.write(head(PART.length + recording.length + tail.length) + PART);
    socket.write(recording);
    socket.write(tail);
    await isSpooled;
    await expect.poll(() => spooled(strict)).toEqual([]);
    socket.destroy();
    await strict.stop();
  });
});
