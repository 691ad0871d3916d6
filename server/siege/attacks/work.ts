import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { recording, timeframeOf } from "../scene.js";
import { type Attack, repeat, type Siege, type Tally, untilTheEnd } from "./attack.js";

const api = ({ client, attacker }: Siege, method: string, path: string, json?: unknown, timeoutMs?: number) =>
  client.send(`/api/v1${path}`, {
    method,
    token: attacker.token,
    ...(json === undefined ? {} : { json }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

/** Creates an activity with time frames and webhooks, as fast as a user can. @returns its id */
async function loadedActivity(
  siege: Siege,
  timeframes: number,
  webhooks: number,
  webhookUrl: (n: number) => string,
): Promise<number> {
  const { attacker } = siege;
  const created = await api(siege, "POST", "/activities/", {
    name: "Crowded",
    json: { sport: "soccer" },
    json_schema: attacker.schemas.activity_soccer,
    owner: attacker.id,
  });
  const { id } = JSON.parse(created.body.toString());
  const bodies = [
    ...Array.from({ length: timeframes }, (_, i) => ({
      path: "/timeframes/",
      json: timeframeOf(attacker, {
        activity: id,
        start_time: new Date(attacker.startMs + i * 1000).toISOString(),
        end_time: new Date(attacker.startMs + (i + 1) * 1000).toISOString(),
      }),
    })),
    ...Array.from({ length: webhooks }, (_, i) => ({
      path: `/activities/${id}/webhooks/`,
      json: {
        webhook_url: webhookUrl(i),
        secret_token: "of the attacker",
        activity_events: true,
        timeframes_events: true,
      },
    })),
  ];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
        await api(siege, "POST", body.path, body.json);
      }
    }),
  );
  return id;
}

/** Receivers that accept a connection and never respond. */
async function withSilentReceiver<T>(work: (port: number) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** A recipe with 100 values per second, many more than the samples of the recording. */
const SLOWEST = {
  recipe: 1,
  source: "doppler_speed",
  gate: null,
  max_valid: 100_000,
  gap: { min_ms: 0, steps: 1000 },
  resample_ms: 10,
  derivative: null,
  on: "sample",
  enter: 3000,
  exit: 3000,
  min_ms: 0,
  merge_ms: 0,
  rounding: "half_up",
};

/** Maximum duration for which this recipe has a result: 600,000 values. */
const LONGEST_MS = 100 * 60_000;

const boundary = "----asi-siege";

const FORM = { "Content-Type": `multipart/form-data; boundary=${boundary}` };

/** Creates a form with these files. */
function formOf(files: readonly Uint8Array[]): Buffer {
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.asi"\r\n\r\n`,
  );
  const parts = files.flatMap((file) => [head, file, Buffer.from("\r\n")]);
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

/** Uploads a recording for conversion repeatedly. */
function convert(bytes: (siege: Siege) => Promise<Uint8Array> | Uint8Array) {
  return async (siege: Siege, tally: Tally) => {
    const body = formOf([await bytes(siege)]);
    await repeat(siege.signal, 2, tally, async () => {
      const { status } = await siege.client.send("/api/v2/files/asi-to-csv/", {
        method: "POST",
        token: siege.attacker.token,
        body,
        headers: FORM,
      });
      return status;
    });
  };
}

const HOSTILE_BYTES = 20_000_000;

/** Repeats the bytes up to the size of a hostile recording. */
function fill(part: Uint8Array): Uint8Array {
  const all = new Uint8Array(Math.floor(HOSTILE_BYTES / part.length) * part.length);
  for (let at = 0; at < all.length; at += part.length) all.set(part, at);
  return all;
}

/** Work that continues after the response, and recordings that are expensive to read. */
export const work: readonly Attack[] = [
  {
    name: "250 reads of one stale 48 h time frame, then disconnected",
    as: "user",
    days: true,
    run: async (siege, tally) => {
      const { attacker, signal } = siege;
      await repeat(signal, 1, tally, async (round) => {
        const path = `/timeframes/${attacker.timeframe}/`;
        await api(siege, "PATCH", path, { params: { max_hr: 150 + (round % 50) } });
        const reads = Array.from({ length: 250 }, () =>
          api(siege, "GET", `${path}computed-data/`, undefined, 300),
        );
        for (const { status } of await Promise.all(reads)) tally.add(status);
        return "round";
      });
    },
  },
  {
    name: "peaks and five recipes with 100 values a second of 100 min, computed repeatedly",
    as: "user",
    days: true,
    run: async (siege, tally) => {
      const { attacker, signal, client } = siege;
      const hashes = await Promise.all(
        [99, 97, 95, 93, 91].map(async (samples) => {
          const recipe = { ...SLOWEST, smooth: { type: "mean", samples } };
          const json = { name: `Slow ${samples}`, recipe };
          const { body } = await client.send("/api/v2/recipes/", {
            method: "POST",
            token: attacker.token,
            json,
          });
          return JSON.parse(body.toString()).hash as string;
        }),
      );
      const path = `/timeframes/${attacker.timeframe}/`;
      await repeat(signal, 4, tally, async (round) => {
        const params = { max_hr: 150 + (round % 50), recipes: hashes.map((hash) => ({ hash })) };
        const end_time = new Date(attacker.startMs + LONGEST_MS - round).toISOString();
        await api(siege, "PATCH", path, { params, end_time });
        return (await api(siege, "GET", `${path}computed-data/?with_peaks=1`, undefined, 300)).status;
      });
    },
  },
  {
    name: "deletion of an activity with 200 time frames and 100 webhooks",
    as: "user",
    days: true,
    run: (siege, tally) =>
      withSilentReceiver(async (port) => {
        const id = await loadedActivity(siege, 200, 100, (n) => `http://127.0.0.1:${port}/${n}`);
        tally.add((await api(siege, "DELETE", `/activities/${id}/`)).status);
        await untilTheEnd(siege.signal);
      }),
  },
  {
    name: "an activity with 200 time frames and 10 webhooks renamed repeatedly",
    as: "user",
    days: true,
    run: (siege, tally) =>
      withSilentReceiver(async (port) => {
        const id = await loadedActivity(siege, 200, 10, (n) => `http://127.0.0.1:${port}/${n}`);
        await repeat(siege.signal, 2, tally, async (round) => {
          return (await api(siege, "PATCH", `/activities/${id}/`, { name: `z${round}` })).status;
        });
        tally.add((await api(siege, "DELETE", `/activities/${id}/`)).status);
      }),
  },
  {
    name: "32 webhooks whose receivers never answer",
    as: "user",
    run: (siege, tally) =>
      withSilentReceiver(async (port) => {
        const id = await loadedActivity(siege, 0, 32, (n) => `http://127.0.0.${2 + n}:${port}/`);
        await repeat(siege.signal, 1, tally, async (round) => {
          return (await api(siege, "PATCH", `/activities/${id}/`, { name: `z${round}` })).status;
        });
      }),
  },
  {
    name: "20 webhooks with unknown host names",
    as: "user",
    run: async (siege, tally) => {
      const id = await loadedActivity(siege, 0, 20, (n) => `https://no-such-name-${n}.invalid/`);
      await repeat(siege.signal, 1, tally, async (round) => {
        return (await api(siege, "PATCH", `/activities/${id}/`, { name: `z${round}` })).status;
      });
    },
  },
  {
    name: "conversions of 20 MB of recording headers",
    as: "user",
    run: convert(async ({ attacker }) =>
      fill((await recording(attacker.serial, attacker.startMs, 1, 100)).subarray(0, 72)),
    ),
  },
  {
    name: "conversions of 20 MB of false frame starts",
    as: "user",
    run: convert(() => fill(Uint8Array.of(0xb5, 0x62, 0x01, 0x07, 0x00, 0x20))),
  },
  {
    name: "uploads of 100 recordings of 1 h in one request, repeatedly",
    as: "user",
    run: async (siege, tally) => {
      const { attacker, signal, client } = siege;
      const hour = await recording(attacker.serial, attacker.startMs, 3_600, 1000);
      await repeat(signal, 2, tally, async () => {
        // Append different bytes to each upload, because a repeated upload would not be loaded.
        const files = Array.from({ length: 100 }, () => Buffer.concat([hour, randomBytes(8)]));
        const { status } = await client.send("/api/v2/recordings/", {
          method: "POST",
          token: attacker.token,
          body: formOf(files),
          headers: FORM,
        });
        return status;
      });
    },
  },
  {
    name: "an upload of 100 gzip files of 32 MB of zeros after a header",
    as: "user",
    run: async ({ attacker, signal, client }, tally) => {
      const head = await recording(attacker.serial, attacker.startMs, 1, 1000);
      const packed = gzipSync(Buffer.concat([head, Buffer.alloc(32_000_000)]));
      const body = formOf(Array.from({ length: 100 }, () => packed));
      await repeat(signal, 2, tally, async () => {
        const token = attacker.token;
        return (await client.send("/api/v2/recordings/", { method: "POST", token, body, headers: FORM }))
          .status;
      });
    },
  },
  {
    name: "bulk loads of a 48 h recording, repeatedly",
    as: "user",
    days: true,
    run: async (siege, tally) => {
      const { attacker, signal } = siege;
      const bytes = await recording(attacker.serial, attacker.startMs, 170_000, 1000);
      const json = { asi_b64: Buffer.from(bytes).toString("base64") };
      await repeat(signal, 2, tally, async () => {
        return (await api(siege, "POST", `/devices/${attacker.device}/bulk-load/`, json)).status;
      });
    },
  },
];
