import { setTimeout as sleep } from "node:timers/promises";
import { recording } from "../scene.js";
import { type Attack, repeat, type Siege, type Tally } from "./attack.js";

const head = ({ token, serial }: Siege["attacker"], name: string) =>
  `POST /api/v2/devices/${serial}/stream/?recording=${name} HTTP/1.1\r\nHost: siege\r\nAuthorization: Bearer ${token}\r\n` +
  "Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

const chunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

/**
 * Sends the parts of one request repeatedly, until the service ends it.
 * @returns the content of
 * its last line
 */
async function stream(
  { client, attacker, signal }: Siege,
  tally: Tally,
  name: string,
  parts: () => Uint8Array,
  everyMs: number,
): Promise<void> {
  const socket = client.connect();
  let text = "";
  socket.on("data", (data) => {
    text = (text + data).slice(-1000);
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(head(attacker, name));
  while (!signal.aborted && socket.writable && !/"end":|HTTP\/1.1 [45]/.test(text)) {
    if (!socket.write(chunk(parts())))
      await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
    await sleep(everyMs);
  }
  tally.add(/"end":"(\w+)"/.exec(text)?.[1] ?? /HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? "cut");
  socket.destroy();
  await closed;
}

/** Gateways that stream the same device; the service accepts only the last one. */
export const streams: readonly Attack[] = [
  {
    name: "100 streams of one device at a time, each of which ends the others, a row a second",
    as: "user",
    run: async (siege, tally) => {
      const row = await recording(siege.attacker.serial, siege.attacker.startMs, 1, 100);
      let number = 0;
      await repeat(siege.signal, 100, tally, async () => {
        await stream(siege, tally, `r${number++}`, () => row, 1_000);
        return "request";
      });
    },
  },
  {
    name: "streams of bytes that are not a recording, as fast as the service takes them",
    as: "user",
    run: (siege, tally) =>
      repeat(siege.signal, 8, tally, async (round) => {
        const noise = Buffer.alloc(16 * 1024, round);
        await stream(siege, tally, `noise${round}`, () => noise, 0);
        return "request";
      }),
  },
  {
    name: "a stream of endless rows in one request, as fast as the service takes them",
    as: "user",
    run: async (siege, tally) => {
      const rows = await recording(siege.attacker.serial, siege.attacker.startMs, 2_000, 100);
      await repeat(siege.signal, 1, tally, async (round) => {
        await stream(siege, tally, `rows${round}`, () => rows, 0);
        return "request";
      });
    },
  },
];
