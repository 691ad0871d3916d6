import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, repeat, type Siege, type Tally, untilTheEnd } from "./attack.js";

/** Keeps connections open. Writes `begin` on each, and `more` periodically. */
async function hold(
  { client, signal }: Siege,
  tally: Tally,
  count: number,
  begin: string,
  more: string,
  everyMs: number,
): Promise<void> {
  const sockets = Array.from({ length: count }, () => {
    const socket = client.connect();
    socket.once("data", (data) => tally.add(String(data).slice(9, 12)));
    socket.once("close", () => tally.add(signal.aborted ? "held" : "cut"));
    socket.write(begin);
    return socket;
  });
  while (!signal.aborted) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (more !== "") for (const socket of sockets) if (socket.writable) socket.write(more);
  }
  for (const socket of sockets) socket.destroy();
}

const boundary = "----asi-siege";

const uploadHeader = (token: string, length: number) =>
  `POST /api/v2/files/asi-to-csv/ HTTP/1.1\r\nHost: siege\r\nAuthorization: Bearer ${token}\r\n` +
  `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${length}\r\n\r\n` +
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.asi"\r\n\r\n`;

/** Attacks with connections that are kept open without use. */
export const connections: readonly Attack[] = [
  {
    name: "2,500 requests at once on each of 40 connections, repeatedly",
    as: "anyone",
    run: ({ client, signal }, tally) =>
      repeat(signal, 40, tally, async () => {
        const socket = client.connect();
        socket.write("GET /api/v1/account/ HTTP/1.1\r\nHost: siege\r\n\r\n".repeat(2_500));
        socket.resume();
        await new Promise((resolve) => socket.once("close", resolve));
        return "closed";
      }),
  },
  {
    name: "1,000 connections that send nothing",
    as: "anyone",
    run: (siege, tally) => hold(siege, tally, 1000, "", "", 1000),
  },
  {
    name: "500 headers, a byte a second each",
    as: "anyone",
    run: (siege, tally) => hold(siege, tally, 500, "GET /api/v1/account/ HTTP/1.1\r\nX-A: ", "a", 1000),
  },
  {
    name: "300 registrations, a byte a second each",
    as: "anyone",
    run: (siege, tally) =>
      hold(
        siege,
        tally,
        300,
        "POST /api/v1/managers/ HTTP/1.1\r\nHost: siege\r\nContent-Type: application/json\r\n" +
          "Content-Length: 60000\r\n\r\n{",
        " ",
        1000,
      ),
  },
  {
    name: "20 uploads, a byte a second each",
    as: "user",
    run: (siege, tally) => hold(siege, tally, 20, uploadHeader(siege.attacker.token, 10_000_000), "a", 1000),
  },
  {
    name: "150 connections that read an activity of 5 MiB, each 40 KiB/s",
    as: "user",
    run: async ({ client, attacker, signal }, tally) => {
      const { token } = attacker;
      const path = `/api/v1/activities/${attacker.activity}/`;
      const json = { json: { sport: "soccer", gpx: "x".repeat(5 * 1024 * 1024 - 100) } };
      await client.expect(200, path, { method: "PATCH", token, json });
      const sockets = Array.from({ length: 150 }, () => {
        const socket = client.connect();
        socket.write(`GET ${path} HTTP/1.1\r\nHost: siege\r\nAuthorization: Bearer ${token}\r\n\r\n`);
        socket.once("data", (chunk) => tally.add(String(chunk.subarray(9, 12))));
        socket.on("data", () => socket.pause());
        // At this rate, a piece of 64 KiB takes 1.6 s.
        const timer = setInterval(() => socket.resume(), 1_600);
        socket.once("close", () => clearInterval(timer));
        return socket;
      });
      await untilTheEnd(signal);
      for (const socket of sockets) socket.destroy();
    },
  },
  {
    name: "20 connections that ask for 25,000 rows and read 64 KB in 8 s",
    as: "user",
    days: true,
    run: async ({ client, attacker, signal }, tally) => {
      const path =
        `/api/v1/devices/${attacker.device}/preprocessed-data/` +
        `?start=${attacker.startMs}&stop=${attacker.stopMs}&limit=25000`;
      const sockets = Array.from({ length: 20 }, () => {
        const socket = client.connect();
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: siege\r\nAuthorization: Bearer ${attacker.token}\r\n\r\n`,
        );
        socket.once("close", () => tally.add(signal.aborted ? "held" : "cut"));
        socket.pause();
        const timer = setInterval(() => {
          socket.resume();
          socket.once("data", () => socket.pause());
        }, 8_000);
        socket.once("close", () => clearInterval(timer));
        return socket;
      });
      await untilTheEnd(signal);
      for (const socket of sockets) socket.destroy();
    },
  },
];
