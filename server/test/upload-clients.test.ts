/** Tests streaming in `POST /api/v2/recordings/`, and clients that disconnect or send too much. */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { describe, expect, vi } from "vitest";
import { walk } from "./recordings.js";
import { type TestAccount, TestService } from "./service.js";
import { OCTETS, PATH, START, withUploads } from "./upload-scene.js";

const it = withUploads();

const MIB = 1024 * 1024;

const PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="x.asi"\r\n\r\n';
const NEXT = `\r\n${PART}`;

/** Creates a recording that cannot be compressed. */
const noise = async (serial: string, bytes: number) =>
  Buffer.concat([await walk(serial, START, 1), randomBytes(bytes)]);

/** Opens a connection and sends the headers of an upload. */
async function begin(s: TestService, { token }: TestAccount, type: string, length: number): Promise<Socket> {
  const { port, hostname } = new URL(s.service.url ?? "");
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${length}\r\n` +
      `Content-Type: ${type}\r\n\r\n`,
  );
  return socket;
}

describe("an upload", () => {
  it.for([
    ["as the body", OCTETS, ""],
    ["in a form", "multipart/form-data; boundary=b", PART],
  ] as const)(
    "is written while it arrives; nothing is left if the client disconnects: %s",
    async ([, type, before], { uploads: { s, ann, longOwned, count } }) => {
      await s.runJobs();
      const failures = vi.spyOn(s.service.app.log, "error");
      const { serial_number } = await longOwned();
      const recording = await noise(serial_number, 4 * MIB);
      const socket = await begin(s, ann, type, before.length + recording.length);
      socket.write(before);
      socket.write(recording.subarray(0, 3 * MIB));
      // The compressor still holds one of the 12 pieces.
      await expect.poll(() => count("job_bodies")).toBeGreaterThanOrEqual(10);
      expect(await count("jobs WHERE state = 'PENDING'")).toBe(0);
      socket.destroy();
      await expect.poll(() => count("job_bodies")).toBe(0);
      expect(failures).not.toHaveBeenCalled();
      failures.mockRestore();
    },
  );

  it("keeps the complete files if its client disconnects, and continues after them when it is repeated", async ({
    uploads: { s, ann, form, longOwned, recordingOf, count },
  }) => {
    await s.runJobs();
    const [first, second] = [await longOwned(), await longOwned()];
    const [whole, torn] = [await recordingOf(first), await noise(second.serial_number, MIB)];
    const socket = await begin(s, ann, "multipart/form-data; boundary=b", 2 * MIB);
    socket.write(PART);
    socket.write(whole);
    socket.write(NEXT);
    socket.write(torn.subarray(0, MIB));
    await expect.poll(() => count("jobs WHERE state = 'PENDING'")).toBe(1);
    socket.destroy();
    await expect.poll(() => count("job_bodies")).toBe(1);
    const again = () =>
      form([
        ["whole.asi", whole],
        ["torn.asi", torn],
      ]);
    // The user's slot is free when the service has detected that the client has disconnected.
    const { body } = await again();
    expect(body.recordings.map(({ repeated }: { repeated: boolean }) => repeated)).toEqual([true, false]);
    await s.runJobs();
  });

  it("is refused file by file if it exceeds the queue; other uploads wait", async ({
    uploads: { s, ann, form, longOwned },
  }) => {
    const small = await TestService.start(s.store, { bulkLoadMaxBytes: 16 * 1024 });
    await small.runJobs();
    const { serial_number } = await longOwned();
    const files = await Promise.all(
      Array.from(
        { length: 10 },
        async (_, i) => [`${i}.asi`, await noise(serial_number, 15 * 1024)] as const,
      ),
    );
    const { status, body } = await form(files, ann, small);
    expect(status).toBe(202);
    expect(body.recordings.map(({ problem }: { problem: { code: string } | null }) => problem?.code)).toEqual(
      [...Array(8).fill(undefined), "throttled", "throttled"],
    );
    const refused = await form(files.slice(8), ann, small);
    expect([refused.status, refused.headers.get("retry-after"), refused.body.code]).toEqual([
      429,
      "10",
      "throttled",
    ]);
    await small.runJobs();
    expect((await form(files.slice(8), ann, small)).status).toBe(202);
    await small.runJobs();
  });

  it("is read to its end even if its file is refused early, which keeps the connection usable", async ({
    uploads: { s, ann, longOwned, recordingOf },
  }) => {
    const device = await longOwned();
    const foreign = await noise("NOBODYS", 5 * MIB);
    const tail = "\r\n--b--\r\n";
    const recording = await recordingOf(device);
    const length = PART.length + foreign.length + NEXT.length + recording.length + tail.length;
    const socket = await begin(s, ann, "multipart/form-data; boundary=b", length);
    let answer = "";
    socket.setEncoding("latin1").on("data", (text) => {
      answer += text;
    });
    for (const part of [PART, foreign, NEXT, recording, tail]) socket.write(part);
    socket.write(
      `GET /api/v1/account/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\nConnection: close\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once("close", resolve));
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 202", "HTTP/1.1 200"]);
    expect(answer).toContain('"code":"unknown_device"');
    expect(answer).toContain(`"serial_number":"${device.serial_number}"`);
    await s.runJobs();
  });
});
