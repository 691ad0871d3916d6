import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { convert } from "asi-convert";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bytesOf, recordingOf, rowAt, timesFrom, walk } from "./recordings.js";
import { newStore, type TestAccount, TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await TestService.start(await newStore(), { convertMaxBytes: 40_000_000, transferGraceMs: 300 });
  ann = await s.manager();
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

const PATH = "/api/v2/files/asi-to-csv/";
const fixture = (name: string) =>
  new Uint8Array(readFileSync(join(import.meta.dirname, "../../fixtures", name)));

/** Files of the service's spool, at this moment. */
const spooled = (on = s) =>
  readdirSync(join(on.config.dataDir, "uploads"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "lock")
    .map(({ name }) => name);
/** None is left when all answers are sent or cut off. */
const expectNoFiles = () => expect.poll(() => spooled(), { timeout: 5_000 }).toEqual([]);

function form(parts: readonly [name: string, value: string | Uint8Array, fileName?: string][]): FormData {
  const data = new FormData();
  for (const [name, value, fileName = "x.asi"] of parts) {
    if (typeof value === "string") data.append(name, value);
    else data.append(name, new Blob([value as Uint8Array<ArrayBuffer>]), fileName);
  }
  return data;
}

async function send(body: BodyInit, headers: Record<string, string> = {}, on = s) {
  const response = await fetch(`${on.service.url}${PATH}`, {
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

/** A connection on which a request is written piece by piece. */
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
const PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="x.asi"\r\n\r\n';

describe("conversion", () => {
  it("row 17: gives the CSV of the library, byte for byte, under its name", async () => {
    for (const name of ["valid/match-hr.asi", "valid/run-fix-loss.asi", "damaged/bad-checksums.asi"]) {
      const recording = fixture(name);
      const conversion = convert(recording);
      const csv = await bytesOf(conversion.csv);
      const { status, headers, bytes } = await send(form([["file", recording]]));
      expect([name, status, headers.get("content-type")]).toEqual([name, 200, "text/csv; charset=utf-8"]);
      expect(headers.get("content-disposition")).toBe(`attachment; filename="${await conversion.fileName}"`);
      expect(JSON.parse(headers.get("x-asi-report") ?? "")).toEqual(await conversion.report);
      expect(Buffer.from(bytes).equals(Buffer.from(csv))).toBe(true);
    }
    await expectNoFiles();
  });

  it("row 17: is for any authenticated user", async () => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 3);
    const athlete = await s.athlete();
    expect(
      (await send(form([["file", recording]]), { Authorization: `Bearer ${athlete.token}` })).status,
    ).toBe(200);
    const refused = await send(form([["file", recording]]), { Authorization: "Bearer wrong" });
    expect([refused.status, refused.json]).toEqual([403, { detail: "Invalid or expired token." }]);
    await expectNoFiles();
  });

  it("row 17: names what is wrong with the file, with the library's code", async () => {
    for (const [name, recording, code] of [
      ["text", new TextEncoder().encode("no recording"), "NOT_A_RECORDING"],
      ["empty", new Uint8Array(), "NOT_A_RECORDING"],
      ["header only", await recordingOf("A-1", []), "NO_SAMPLES"],
      ["zip", Buffer.concat([Buffer.from("PK\u0003\u0004"), new Uint8Array(5_000_000)]), "NOT_A_RECORDING"],
      [
        "two devices",
        Buffer.concat([
          await walk("A-1", "2024-03-01T10:00:00Z", 3),
          await walk("A-2", "2024-03-01T10:00:01Z", 3),
        ]),
        "MIXED_DEVICES",
      ],
    ] as const) {
      const { status, headers, json } = await send(form([["file", recording]]));
      expect([name, status, headers.get("x-error-code"), Object.keys(json)]).toEqual([
        name,
        400,
        code,
        ["file"],
      ]);
      expect(headers.get("content-disposition")).toBeNull();
    }
    await expectNoFiles();
  });

  it("row 17: wants one part named file that is a file", async () => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 3);
    for (const [parts, message] of [
      [[], "No file was submitted."],
      [[["upload", recording]], "No file was submitted."],
      [[["file", "text"]], "The submitted data was not a file."],
      [
        [
          ["file", recording],
          ["file", recording],
        ],
        "Submit one file only.",
      ],
    ] as const) {
      const { status, json } = await send(form(parts as unknown as Parameters<typeof form>[0]));
      expect([status, json]).toEqual([400, { file: [message] }]);
    }
    const more = await send(
      form([
        ["note", "ignored"],
        ["picture", new Uint8Array(3_000_000)],
        ["file", recording],
        ["__proto", "x"],
      ]),
    );
    expect(more.status).toBe(200);
    await expectNoFiles();
  });

  it("row 17: says so when the form has too many parts", async () => {
    const many = Array.from({ length: 40 }, (_, i): [string, string] => [`note-${i}`, "x"]);
    const { status, json } = await send(
      form([...many, ["file", await walk("A-1", "2024-03-01T10:00:00Z", 3)]]),
    );
    expect([status, json]).toEqual([400, { detail: "The form has too many parts." }]);
  });

  it("row 17: the name of the upload cannot get into the answer", async () => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 2);
    for (const name of ['x"; filename="evil.exe', "../../etc/passwd", "a%0d%0aX-Evil: 1", "\u202egpj.asi"]) {
      const { status, headers } = await send(form([["file", recording, name]]));
      expect([status, headers.get("content-disposition")]).toEqual([
        200,
        'attachment; filename="A-1_20240301T100000_20240301T100000.csv"',
      ]);
      expect(headers.get("x-evil")).toBeNull();
    }
  });

  it("row 17: refuses a file that is too large, also a damaged one", async () => {
    const small = await TestService.start(s.store, { convertMaxBytes: 100_000 });
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 5_000);
    const { status, json } = await send(form([["file", recording]]), {}, small);
    expect([status, Object.keys(json)]).toEqual([413, ["detail"]]);
    const exact = recording.subarray(0, 100_000);
    expect((await send(form([["file", exact]]), {}, small)).status).toBe(200);
    await small.stop();
  });

  it("row 17: refuses other content types, and compressed bodies", async () => {
    for (const type of [
      "application/json",
      "text/csv",
      "application/octet-stream",
      "multipart/mixed; boundary=b",
    ]) {
      const { status, json } = await send("{}", { "Content-Type": type });
      expect([type, status, Object.keys(json)]).toEqual([type, 415, ["detail"]]);
    }
    const packed = await send(form([["file", new Uint8Array(9)]]), { "Content-Encoding": "gzip" });
    expect(packed.status).toBe(415);
    const elsewhere = await s.send("POST", "/api/v1/managers/", { body: form([["username", "x"]]) });
    expect(elsewhere.status).toBe(415);
  });

  it("row 17: a broken form is a malformed request", async () => {
    const type = "multipart/form-data; boundary=b";
    for (const [contentType, body] of [
      ["multipart/form-data", `${PART}x\r\n--b--\r\n`],
      [type, `${PART}half a file`],
      [type, "--b\r\nContent-Disposition: form-data"],
      [type, "no boundary at all"],
      ["multipart/form-data; boundary=", "x"],
      [`multipart/form-data; boundary=${"b".repeat(300)}`, "x"],
    ] as const) {
      const { status } = await send(body, { "Content-Type": contentType });
      expect([contentType, body, status]).toEqual([contentType, body, 400]);
    }
    await expectNoFiles();
  });

  it("row 17: a client that goes away in the middle of its upload leaves nothing", async () => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 30_000);
    const { socket } = await open();
    socket.write(head(recording.length + 1000) + PART);
    socket.write(recording.subarray(0, 3_000_000));
    await expect.poll(() => spooled().length).toBe(1);
    socket.destroy();
    await expectNoFiles();
    expect((await send(form([["file", recording]]))).status).toBe(200);
  });

  it("row 17: a client that closes its half, or stands still, is cut off and leaves nothing", async () => {
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

  it("row 17: a client that does not read its answer, or goes away while it does, leaves nothing", async () => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 200_000);
    const tail = "\r\n--b--\r\n";
    const { socket } = await open();
    // not a byte of the answer is read: what the system's buffers hold is all that gets out
    socket.pause();
    socket.write(head(PART.length + recording.length + tail.length) + PART);
    socket.write(recording);
    await new Promise((sent) => socket.write(tail, sent));
    await expect.poll(() => spooled().length, { timeout: 10_000 }).toBe(1);
    socket.destroy();
    await expectNoFiles();
  });

  it("row 17: a client that leaves in the middle of its answer is no failure of the service", async () => {
    const failures = vi.spyOn(s.service.app.log, "error");
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 200_000);
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

  it("row 17: bytes that are no HTTP behind an upload do not get into its answer", async () => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 200_000);
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

  it("row 17: one of each user runs at a time, and as many as are set; others are told when to come again", async () => {
    const patient = await TestService.start(s.store, {
      convertConcurrency: 2,
      convertConcurrencyPerUser: 1,
      transferGraceMs: 60_000,
    });
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 3);
    const [bob, eve] = [await s.manager(), await s.manager()];
    const by = (user: TestAccount) => ({ Authorization: `Bearer ${user.token}` });
    const convertBy = (user: TestAccount) => send(form([["file", recording]]), by(user), patient);
    const hold = async (user: TestAccount, files: number) => {
      // What was converted before is removed a moment after its answer.
      await expect.poll(() => spooled(patient).length, { timeout: 10_000 }).toBe(files - 1);
      const { socket } = await open(patient);
      socket.write(head(1_000_000, user) + PART);
      socket.write(recording);
      await expect.poll(() => spooled(patient).length, { timeout: 10_000 }).toBe(files);
      return socket;
    };
    const first = await hold(ann, 1);
    const again = await convertBy(ann);
    expect([again.status, Object.keys(again.json)]).toEqual([429, ["detail"]]);
    expect(Number(again.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await convertBy(bob)).status).toBe(200);
    const second = await hold(bob, 2);
    expect((await convertBy(eve)).status).toBe(429);
    first.destroy();
    await expect.poll(async () => (await convertBy(eve)).status, { timeout: 10_000 }).toBe(200);
    second.destroy();
    await patient.stop();
  });

  it("row 17: a slot is free again when the CSV is complete, though nobody reads it", async () => {
    const patient = await TestService.start(s.store, {
      convertConcurrencyPerUser: 1,
      transferGraceMs: 60_000,
    });
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 200_000);
    const tail = "\r\n--b--\r\n";
    const { socket } = await open(patient);
    socket.pause();
    socket.write(head(PART.length + recording.length + tail.length) + PART);
    socket.write(recording);
    socket.write(tail);
    const small = await walk("A-1", "2024-03-01T10:00:00Z", 3);
    await expect
      .poll(async () => (await send(form([["file", small]]), {}, patient)).status, { timeout: 20_000 })
      .toBe(200);
    // The first answer still waits on disk.
    await expect.poll(() => spooled(patient), { timeout: 10_000 }).toEqual(["1"]);
    socket.destroy();
    await patient.stop();
  });

  it("row 17: eight files of one user wait to be read; for a ninth the user is told when to come again", async () => {
    const patient = await TestService.start(s.store, {
      convertConcurrency: 16,
      convertConcurrencyPerUser: 16,
      transferGraceMs: 60_000,
    });
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 200_000);
    const tail = "\r\n--b--\r\n";
    const unread: Socket[] = [];
    while (unread.length < 8) {
      const { socket } = await open(patient);
      socket.pause();
      socket.write(head(PART.length + recording.length + tail.length) + PART);
      socket.write(recording);
      socket.write(tail);
      unread.push(socket);
      await expect.poll(() => spooled(patient).length, { timeout: 20_000 }).toBe(unread.length);
    }
    const small = form([["file", await walk("A-1", "2024-03-01T10:00:00Z", 3)]]);
    const ninth = await send(small, {}, patient);
    expect([ninth.status, Object.keys(ninth.json)]).toEqual([429, ["detail"]]);
    expect(Number(ninth.headers.get("retry-after"))).toBeGreaterThan(0);
    const bob = await s.manager();
    expect((await send(small, { Authorization: `Bearer ${bob.token}` }, patient)).status).toBe(200);
    unread[0]?.destroy();
    await expect.poll(async () => (await send(small, {}, patient)).status, { timeout: 10_000 }).toBe(200);
    for (const socket of unread) socket.destroy();
    await patient.stop();
  });

  it("row 17: a client that sends a byte now and then is cut off; one that keeps the pace is not", async () => {
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
    const count = 30;
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
    await expect.poll(() => steady.answer(), { timeout: 10_000 }).toMatch(/^HTTP\/1\.1 200 /);
    steady.socket.destroy();
    await strict.stop();
  });

  it("row 17: a client that reads its answer too slowly is cut off", async () => {
    const strict = await TestService.start(s.store, {
      transferGraceMs: 200,
      transferMinBytesPerSecond: 10_000_000,
    });
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 300_000);
    const tail = "\r\n--b--\r\n";
    const { socket } = await open(strict);
    socket.pause();
    socket.write(head(PART.length + recording.length + tail.length) + PART);
    socket.write(recording);
    await new Promise((sent) => socket.write(tail, sent));
    await expect.poll(() => spooled(strict).length, { timeout: 20_000 }).toBe(1);
    await expect.poll(() => spooled(strict), { timeout: 20_000 }).toEqual([]);
    socket.destroy();
    await strict.stop();
  });

  it("row 17: leaves ranges out of a report that is long", async () => {
    const times = Array.from({ length: 200 }, (_, i) => Date.parse("2024-03-01T10:00:00Z") + i * 400_000);
    const { headers } = await send(form([["file", await recordingOf("A-1", times.map(rowAt))]]));
    const report = JSON.parse(headers.get("x-asi-report") ?? "");
    expect([report.ranges, report.ranges_left_out, report.rows.total]).toEqual([undefined, 200, 200]);
  });

  it("row 17: is limited per user", async () => {
    const strict = await TestService.start(s.store, { throttleFilesPerMinute: 1 });
    const recording = await recordingOf("A-1", timesFrom("2024-03-01T10:00:00Z", 2).map(rowAt));
    const headers = { Authorization: `Bearer ${(await s.manager()).token}` };
    const statuses = [
      (await send(form([["file", recording]]), headers, strict)).status,
      (await send(form([["file", recording]]), headers, strict)).status,
    ];
    await strict.stop();
    expect(statuses).toEqual([200, 429]);
  });
});
