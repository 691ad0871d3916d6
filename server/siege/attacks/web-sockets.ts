import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { recording } from "../scene.js";
import { type Attack, repeat, type Siege } from "./attack.js";

/** Opens a WebSocket. @returns the status if the service refuses it */
async function open({ client, attacker }: Siege, path: string): Promise<WebSocket | string> {
  const socket = new WebSocket(new URL(path, client.url.replace(/^http/, "ws")), {
    headers: { Authorization: `Bearer ${attacker.token}` },
    localAddress: client.localAddress,
  });
  const outcome = await new Promise<string>((resolve) => {
    socket.on("error", () => resolve("cut"));
    socket.once("open", () => resolve("open"));
    socket.once("unexpected-response", (request, { statusCode }) => {
      resolve(String(statusCode));
      request.destroy();
    });
  });
  return outcome === "open" ? socket : outcome;
}

const isOpen = (socket: WebSocket) => socket.readyState === socket.OPEN;

/** Sends until the connection closes or the attack ends. @returns the close code */
async function flood(
  { signal }: Siege,
  socket: WebSocket,
  send: (done: () => void) => void,
): Promise<string> {
  const closed = new Promise<string>((resolve) => socket.once("close", (code) => resolve(String(code))));
  while (isOpen(socket) && !signal.aborted) {
    await Promise.race([new Promise<void>((resolve) => send(resolve)), closed]);
    // If the system accepts a write at once, the loop would continue before the process reads anything.
    await nextTurn();
  }
  socket.terminate();
  return closed;
}

/** Messages sent at a time, so that the client is not the bottleneck. */
const BATCH = 1_000;

/** Fragments of a message that the service accepts: `maxFragments` in `http/web-socket/install.ts`. */
const ACCEPTED_FRAGMENTS = 16;

/** WebSockets of clients that send too much, and of clients that do not read. */
export const webSockets: readonly Attack[] = [
  {
    name: "WebSockets that stream a recording in messages of one byte, and ping, as fast as the service takes them",
    as: "user",
    run: async (siege, tally) => {
      const rows = await recording(siege.attacker.serial, siege.attacker.startMs, 2_000, 100);
      await repeat(siege.signal, 8, tally, async (round) => {
        const path = `/api/v2/devices/${siege.attacker.serial}/stream/?recording=socket${round}`;
        const socket = await open(siege, path);
        if (typeof socket === "string") return socket;
        let at = 0;
        return flood(siege, socket, (done) => {
          for (let n = 0; n < BATCH; n++, at++)
            socket.send(rows.subarray(at % rows.length, (at % rows.length) + 1));
          socket.ping("", true, done);
        });
      });
    },
  },
  {
    name: "WebSockets that stream a recording in fragments of one byte, in messages of 16 fragments or without an end",
    as: "user",
    run: async (siege, tally) => {
      const rows = await recording(siege.attacker.serial, siege.attacker.startMs, 2_000, 100);
      await repeat(siege.signal, 8, tally, async (round) => {
        const path = `/api/v2/devices/${siege.attacker.serial}/stream/?recording=fragments${round}`;
        const socket = await open(siege, path);
        if (typeof socket === "string") return socket;
        const isEndless = round % 2 === 1;
        let at = 0;
        return flood(siege, socket, (done) => {
          for (let n = 0; n < BATCH; n++) {
            const from = at++ % rows.length;
            const fin = !isEndless && at % ACCEPTED_FRAGMENTS === 0;
            socket.send(rows.subarray(from, from + 1), { fin }, n === BATCH - 1 ? () => done() : undefined);
          }
        });
      });
    },
  },
  {
    name: "WebSockets with live data that send messages, ping without reading, and are opened again at once",
    as: "user",
    run: (siege, tally) =>
      repeat(siege.signal, 50, tally, async (round) => {
        const socket = await open(siege, "/api/v2/live/");
        if (typeof socket === "string") return socket;
        if (round % 2 === 0) {
          socket.send("hello");
          return flood(siege, socket, (done) => void sleep(10).then(done));
        }
        socket.pause();
        return flood(siege, socket, (done) => {
          for (let n = 0; n < BATCH; n++) socket.ping();
          socket.ping("", true, done);
        });
      }),
  },
];
