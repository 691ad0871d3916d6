import { recording } from "../scene.js";
import { type Attack, repeat, type Siege, untilTheEnd } from "./attack.js";

interface Member {
  id: number;
  token: string;
  password: string;
}

/** Registers accounts from one address. */
async function crowd({ client, attacker, signal }: Siege, count: number, name: string): Promise<Member[]> {
  const members: Member[] = [];
  for (let i = 0; i < count && !signal.aborted; i++) {
    const username = `${name}-${process.pid}-${i}`;
    const password = "a long passphrase";
    const json = { username, email: "crowd@example.org", password };
    const { id } = await client.expect<{ id: number }>(201, "/api/v1/managers/", { json });
    const credentials = { grant_type: "password", username, password, ...attacker.oauth };
    const { body } = await client.form("/oauth2/token/", credentials);
    members.push({ id, password, token: JSON.parse(body.toString()).access_token });
  }
  return members;
}

const boundary = "----asi-siege";
const CONVERSION_BYTES = 10_000_000;

/** Many accounts of one address, each of which uses up its limits. */
export const crowds: readonly Attack[] = [
  {
    name: "40 accounts of one address that send their own password, repeatedly",
    as: "anyone",
    run: async (siege, tally) => {
      const members = await crowd(siege, 40, "keys");
      await repeat(siege.signal, 2 * members.length, tally, async (round) => {
        const { id, token, password } = members[round % members.length] as Member;
        const sent = { method: "PATCH", token, json: { password } };
        return (await siege.client.send(`/api/v1/managers/${id}/`, sent)).status;
      });
    },
  },
  {
    name: "8 accounts of one address that convert to TCX, a piece a second each",
    as: "anyone",
    run: async (siege, tally) => {
      const { client, attacker, signal } = siege;
      const members = await crowd(siege, 8, "places");
      const part = await recording(attacker.serial, attacker.startMs, 400, 100);
      const sockets = members.map(({ token }) => {
        const socket = client.connect();
        socket.once("data", (data) => tally.add(String(data).slice(9, 12)));
        socket.write(
          `POST /api/v2/files/convert/?format=tcx HTTP/1.1\r\nHost: siege\r\nAuthorization: Bearer ${token}\r\n` +
            `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${CONVERSION_BYTES}\r\n\r\n` +
            `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.asi"\r\n\r\n`,
        );
        const timer = setInterval(() => socket.writable && socket.write(part), 1_000);
        socket.once("close", () => clearInterval(timer));
        return socket;
      });
      await untilTheEnd(signal);
      for (const socket of sockets) socket.destroy();
    },
  },
  {
    name: "8 accounts of one address that read activities of 5 MiB on 160 connections, each 40 KiB/s",
    as: "anyone",
    run: async (siege, tally) => {
      const { client, attacker, signal } = siege;
      const members = await crowd(siege, 8, "readers");
      const paths = await Promise.all(
        members.map(async ({ id, token }) => {
          const json = {
            name: "A long course",
            json: { sport: "soccer", gpx: "x".repeat(5 * 1024 * 1024 - 100) },
            json_schema: attacker.schemas.activity_soccer,
            owner: id,
          };
          const activity = await client.expect<{ id: number }>(201, "/api/v1/activities/", { token, json });
          return { path: `/api/v1/activities/${activity.id}/`, token };
        }),
      );
      const sockets = Array.from({ length: 160 }, (_, i) => {
        const { path, token } = paths[i % paths.length] as { path: string; token: string };
        const socket = client.connect();
        socket.write(`GET ${path} HTTP/1.1\r\nHost: siege\r\nAuthorization: Bearer ${token}\r\n\r\n`);
        socket.once("data", (chunk) => tally.add(String(chunk.subarray(9, 12))));
        socket.on("data", () => socket.pause());
        const timer = setInterval(() => socket.resume(), 1_600);
        socket.once("close", () => clearInterval(timer));
        return socket;
      });
      await untilTheEnd(signal);
      for (const socket of sockets) socket.destroy();
    },
  },
];
