import { setTimeout as sleep } from "node:timers/promises";
import { recording } from "../scene.js";
import type { Attack, Siege, Tally } from "./attack.js";

const CHUNK_MS = 300_000;

/** Interval of samples at 100 Hz, the highest rate that the service stores, ms. */
const PERIOD_MS = 10;

/** Number of samples: five full chunks, and one that has room for more. */
const COUNT = (5 * CHUNK_MS + 290_000) / PERIOD_MS;

/** Time within which a load must end, ms. */
const LOAD_TIMEOUT_MS = 60_000;

const iso = (ms: number) => new Date(ms).toISOString();

/** Loads a recording. @returns "stored", the code of the failed job, or the status of a refused request */
async function load({ client, attacker }: Siege, bytes: Uint8Array): Promise<string> {
  const { token, device } = attacker;
  const json = { asi_b64: Buffer.from(bytes).toString("base64") };
  const { status, body } = await client.send(`/api/v1/devices/${device}/bulk-load/`, { token, json });
  if (status !== 200) return String(status);
  const { job_id } = JSON.parse(body.toString());
  for (const begin = Date.now(); Date.now() - begin < LOAD_TIMEOUT_MS; await sleep(100)) {
    const answer = await client.send(`/api/v1/jobs/${job_id}/`, { token });
    if (answer.status !== 200) continue;
    const { state, details } = JSON.parse(answer.body.toString());
    if (state === "SUCCESS") return "stored";
    if (state === "FAILURE") return details.code;
  }
  return "late";
}

/** Computes the data of a time frame over the samples, with changed parameters. @returns the status */
async function compute({ client, attacker }: Siege, startMs: number, round: number): Promise<number> {
  const { token, timeframe } = attacker;
  const path = `/api/v1/timeframes/${timeframe}/`;
  const json = {
    start_time: iso(startMs),
    end_time: iso(startMs + COUNT * PERIOD_MS),
    params: { max_hr: 150 + (round % 50) },
  };
  await client.send(path, { method: "PATCH", token, json });
  return (await client.send(`${path}computed-data/`, { token })).status;
}

async function download({ client, attacker }: Siege, startMs: number): Promise<number> {
  const { token, device } = attacker;
  const times = `from=${iso(startMs)}&to=${iso(startMs + COUNT * PERIOD_MS)}`;
  return (await client.send(`/api/v2/devices/${device}/samples/?format=csv&${times}`, { token })).status;
}

/** Recordings with as many samples as the service stores in five minutes, and more. */
export const dense: readonly Attack[] = [
  {
    name: "30 minutes at 100 Hz loaded, computed, downloaded and extended by single samples, and loads at 1 kHz, which are refused",
    as: "user",
    days: true,
    async run(siege, tally: Tally) {
      const { attacker, signal } = siege;
      const { serial, stopMs } = attacker;
      const startMs = (Math.ceil(stopMs / CHUNK_MS) + 1) * CHUNK_MS;
      tally.add(await load(siege, await recording(serial, startMs, COUNT, PERIOD_MS)));
      const tooDense = await recording(serial, startMs + 10 * CHUNK_MS, CHUNK_MS, 1);
      for (let round = 0; round === 0 || !signal.aborted; round++) {
        const extra = await recording(serial, startMs + 5 * CHUNK_MS + 10 * round + 1, 1, PERIOD_MS);
        const loads = async () => {
          tally.add(await load(siege, extra));
          tally.add(await load(siege, tooDense));
        };
        const outcomes = await Promise.all([
          compute(siege, startMs, round),
          download(siege, startMs),
          download(siege, startMs),
          loads(),
        ]);
        for (const outcome of outcomes) if (outcome !== undefined) tally.add(outcome);
      }
    },
  },
];
