import { type Attack, repeat, type Siege, type Tally } from "./attack.js";

const ask = async (
  { client, attacker, signal }: Siege,
  tally: Tally,
  atATime: number,
  path: (round: number) => string,
) =>
  repeat(signal, atATime, tally, async (round) => {
    return (await client.send(path(round), { token: attacker.token })).status;
  });

/** Reads with many results, deep pages, or high rates. */
export const reading: readonly Attack[] = [
  {
    name: "pages of 25,000 rows, 16 at a time, none of them cached",
    as: "user",
    days: true,
    run: (siege, tally) =>
      ask(siege, tally, 16, (round) => {
        const { device, startMs, stopMs } = siege.attacker;
        return `/api/v1/devices/${device}/preprocessed-data/?start=${startMs + round}&stop=${stopMs}&limit=25000`;
      }),
  },
  {
    name: "downloads of all samples as CSV, Parquet and Arrow, 16 at a time",
    as: "user",
    days: true,
    run: (siege, tally) =>
      ask(siege, tally, 16, (round) => {
        return `/api/v2/devices/${siege.attacker.device}/samples/?format=${["csv", "parquet", "arrow"][round % 3]}`;
      }),
  },
  {
    name: "downloads of all devices as one file in every format, 16 at a time",
    as: "user",
    days: true,
    run: (siege, tally) =>
      ask(
        siege,
        tally,
        16,
        (round) => `/api/v2/samples/?format=${["csv", "jsonl", "parquet", "arrow"][round % 4]}`,
      ),
  },
  {
    name: "changes, from the first one on, 16 at a time",
    as: "user",
    days: true,
    async run(siege, tally) {
      const { client, attacker } = siege;
      const { body } = await client.send("/api/v2/changes/", { token: attacker.token });
      const [epoch, , ...rest] = Buffer.from(JSON.parse(body.toString()).next_cursor, "base64url")
        .toString()
        .split(" ");
      const cursor = Buffer.from([epoch, 1, ...rest].join(" ")).toString("base64url");
      await ask(siege, tally, 16, (round) => `/api/v2/changes/?cursor=${cursor}&limit=${1 + (round % 1000)}`);
    },
  },
  {
    name: "ranges over 14 days, 16 at a time",
    as: "user",
    days: true,
    run: (siege, tally) =>
      ask(siege, tally, 16, (round) => {
        const { device, startMs } = siege.attacker;
        const start = startMs - 6 * 86_400_000 + round;
        return `/api/v1/devices/${device}/preprocessed-data-ranges/?start=${start}&stop=${start + 14 * 86_400_000}`;
      }),
  },
  {
    name: "pages with numbers from a billion, 16 at a time",
    as: "user",
    days: true,
    run: (siege, tally) =>
      ask(siege, tally, 16, (round) => {
        const { device, startMs, stopMs } = siege.attacker;
        return `/api/v1/devices/${device}/preprocessed-data/?start=${startMs}&stop=${stopMs}&page=${1e9 + round}`;
      }),
  },
  {
    name: "lists ordered by 1,200 fields, 16 at a time",
    as: "user",
    run: (siege, tally) =>
      ask(siege, tally, 16, (round) => {
        return `/api/v1/athletes/?ordering=${"username,".repeat(1200)}id&page=1&x=${round}`;
      }),
  },
  {
    name: "searches for 500 terms, 16 at a time",
    as: "user",
    run: (siege, tally) =>
      ask(siege, tally, 16, (round) => {
        const terms = Array.from({ length: 500 }, (_, i) => `t${i}`).join("+");
        return `/api/v1/devices/?search=${terms}&x=${round}`;
      }),
  },
  {
    name: "variants of a list, 16 at a time",
    as: "user",
    run: (siege, tally) =>
      ask(siege, tally, 16, (round) => {
        const fields = ["device_name", "custom_name", "serial_number", "device_type", "activation_time"];
        const chosen = fields
          .filter((_, i) => (round >> i) & 1)
          .map((field, i) => `${i % 2 ? "-" : ""}${field}`);
        return `/api/v1/devices/?ordering=${chosen.join(",")}&device_name=${round}&custom_name=a&limit=${(round % 3000) + 1}`;
      }),
  },
  {
    name: "paths that do not exist, 100 at a time",
    as: "anyone",
    run: ({ client, signal }, tally) =>
      repeat(signal, 100, tally, async (round) => (await client.send(`/no/such/path/${round}`)).status),
  },
  {
    name: "OpenAPI document and documentation, 50 at a time",
    as: "anyone",
    run: ({ client, signal }, tally) =>
      repeat(signal, 50, tally, async (round) => {
        return (await client.send(round % 2 ? "/api/schema/" : "/api/docs/")).status;
      }),
  },
  {
    name: "20 accounts of one address, 8 lists each at a time",
    as: "anyone",
    run: async ({ client, attacker, signal }, tally) => {
      const tokens = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const username = `crowd-${process.pid}-${i}`;
          const password = "a long passphrase";
          const json = { username, email: "crowd@example.org", password };
          await client.expect(201, "/api/v1/managers/", { json });
          const credentials = { grant_type: "password", username, password, ...attacker.oauth };
          const { body } = await client.form("/oauth2/token/", credentials);
          return JSON.parse(body.toString()).access_token as string;
        }),
      );
      await repeat(signal, 8 * tokens.length, tally, async (round) => {
        const token = tokens[round % tokens.length] ?? "";
        return (await client.send(`/api/v1/athletes/?limit=${1 + (round % 100)}`, { token })).status;
      });
    },
  },
];
