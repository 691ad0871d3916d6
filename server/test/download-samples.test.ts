import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { tableFromIPC } from "@uwdata/flechette";
import { convertSync } from "asi-convert";
import { eq, sql } from "drizzle-orm";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authorize } from "../src/domain/change/access.js";
import type { Context } from "../src/domain/change/context.js";
import { downloadSamples } from "../src/domain/raw-data/download.js";
import { ownerships } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { rowAt, timesFrom, walk } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;
let bob: TestAccount;
let device: TestDevice;

const START = "2024-03-01T10:00:00.000Z";
const START_MS = Date.parse(START);
const LATER = "2024-03-04T10:00:00.000Z";
const iso = (ms: number) => new Date(ms).toISOString();
const csvOf = (recording: Uint8Array) => new TextDecoder().decode(convertSync(recording).csv);

beforeAll(async () => {
  s = await TestService.start(await newStore());
  [ann, bob] = await Promise.all([s.manager(), s.manager()]);
  device = await s.longOwned(ann);
  await s.load(device, ann, await walk(device.serial_number, START, 600));
  await s.load(device, ann, await walk(device.serial_number, LATER, 50));
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

const path = (query: Record<string, string> = {}, { id } = device) =>
  `/api/v2/devices/${id}/samples/?${new URLSearchParams(query)}`;

const download = (query: Record<string, string> = {}, headers: Record<string, string> = {}, by = ann) =>
  fetch(`${s.service.url}${path(query)}`, {
    headers: { Authorization: `Bearer ${by.token}`, "Accept-Encoding": "identity", ...headers },
  });

describe("the samples of a device as a file", () => {
  it("are the rows of the recordings as CSV, for any length of time", async () => {
    const response = await download();
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(response.headers.get("content-disposition")).toBe(
      `attachment; filename="device-${device.id}.csv"`,
    );
    const [first, second] = await Promise.all([
      walk(device.serial_number, START, 600),
      walk(device.serial_number, LATER, 50),
    ]);
    expect(await response.text()).toBe(csvOf(first) + csvOf(second).replace(/^.*\n/, ""));
  });

  it("are JSON lines or Parquet on request, by Accept or by format", async () => {
    const lines = async (response: Response) =>
      (await response.text())
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { timestamp: string });
    const times = [...timesFrom(START, 600), ...timesFrom(LATER, 50)];
    const byAccept = await download({}, { Accept: "application/x-ndjson" });
    expect((await lines(byAccept)).map(({ timestamp }) => Date.parse(timestamp))).toEqual(times);
    expect(await lines(await download({ format: "jsonl" }, { Accept: "text/csv" }))).toHaveLength(650);
    const parquet = await download({ format: "parquet" });
    expect(parquet.headers.get("content-type")).toBe("application/vnd.apache.parquet");
    const rows = await parquetReadObjects({ file: await parquet.arrayBuffer() });
    expect(rows).toEqual(times.map((ms) => ({ ...rowAt(ms), timestamp: new Date(ms) })));
  });

  it("are an Arrow stream on request, by Accept or by format, with the same rows as Parquet", async () => {
    const parquet = await download({ format: "parquet" });
    const rows = await parquetReadObjects({ file: await parquet.arrayBuffer() });
    for (const response of [
      await download({}, { Accept: "application/vnd.apache.arrow.stream" }),
      await download({ format: "arrow" }, { "Accept-Encoding": "gzip" }),
    ]) {
      expect(response.headers.get("content-type")).toBe("application/vnd.apache.arrow.stream");
      expect(response.headers.get("content-disposition")).toBe(
        `attachment; filename="device-${device.id}.arrows"`,
      );
      const table = tableFromIPC(await response.arrayBuffer(), { useDate: true });
      expect(table.toArray()).toEqual(rows);
      expect(table.schema.metadata?.get("serial")).toBe(device.serial_number);
    }
  });

  it("include the time in from and exclude the time in to", async () => {
    const text = await (await download({ from: iso(START_MS + 100), to: iso(START_MS + 300) })).text();
    expect(text.match(/^\d+\.\d+/gm)).toEqual(
      [START_MS + 100, START_MS + 200].map((ms) => (ms / 1000).toFixed(3)),
    );
    const nothing = await download({ to: "2020-01-01T00:00:00Z" });
    expect(await nothing.text()).toBe("timestamp,latitude,longitude,altitude,speed,hr\n");
  });

  it("are compressed for clients that accept gzip", async () => {
    const response = await download({}, { "Accept-Encoding": "gzip" });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(await response.text()).toBe(await (await download()).text());
    const parquet = await download({ format: "parquet" }, { "Accept-Encoding": "gzip" });
    expect(parquet.headers.get("content-encoding")).toBeNull();
  });

  it("arrive unchanged at a client that reads slowly, although the service reuses their memory", async () => {
    const long = await s.longOwned(ann);
    // The file is larger than the buffers of a connection.
    await s.load(long, ann, await walk(long.serial_number, START, 60_000));
    for (const format of ["jsonl", "parquet", "arrow"]) {
      const url = `${s.service.url}${path({ format }, long)}`;
      const headers = { Authorization: `Bearer ${ann.token}` };
      const [slow] = (await once(request(url, { headers }).end(), "response")) as [IncomingMessage];
      await sleep(300);
      const pieces: Buffer[] = [];
      for await (const piece of slow) {
        pieces.push(piece);
        if (pieces.length % 20 === 0) await sleep(5);
      }
      const whole = await (
        await fetch(url, { headers: { ...headers, "Accept-Encoding": "identity" } })
      ).arrayBuffer();
      expect(Buffer.concat(pieces).equals(Buffer.from(whole)), format).toBe(true);
    }
  });

  it("are refused with the field and the remedy if times are wrong, or formats or parameters are unknown", async () => {
    for (const [query, field] of [
      [{ from: LATER, to: START }, "to"],
      [{ from: "yesterday" }, "from"],
      [{ format: "xlsx" }, "format"],
      [{ since: START }, "since"],
    ] as const) {
      const response = await download(query);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ errors: [expect.objectContaining({ field })] });
    }
  });

  it("are limited to the times at which the caller owned the device", async () => {
    const shared = await s.longOwned(ann);
    await s.load(shared, ann, await walk(shared.serial_number, START, 5));
    await s.release(shared, ann);
    await s.take(shared, bob);
    const takenMs = s.clock.now().getTime();
    s.clock.advance(60_000);
    await s.load(shared, bob, await walk(shared.serial_number, iso(takenMs + 1_000), 7));
    const timesOf = async (by: TestAccount) => {
      const { status, body } = await s.get(path({ format: "jsonl" }, shared), by.token);
      expect(status).toBe(200);
      return String(body)
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).timestamp);
    };
    expect(await timesOf(ann)).toEqual(timesFrom(START, 5).map(iso));
    expect(await timesOf(bob)).toEqual(timesFrom(iso(takenMs + 1_000), 7).map(iso));
    expect((await s.get(path({}, shared), (await s.manager()).token)).status).toBe(403);
  });

  it("end with an error that the client can detect if they cannot be read, even in a compressed response", async () => {
    const damaged = await s.longOwned(ann);
    await s.load(damaged, ann, await walk(damaged.serial_number, START, 5));
    await s.store.database.queries.execute(
      sql`UPDATE sample_chunks SET payload = substr(payload, 1, 20) WHERE device_id = ${damaged.id}`,
    );
    for (const coding of ["gzip", "identity"]) {
      const response = await fetch(`${s.service.url}${path({}, damaged)}`, {
        headers: { Authorization: `Bearer ${ann.token}`, "Accept-Encoding": coding },
      });
      expect([response.status, response.headers.get("content-encoding")]).toEqual([500, null]);
      expect(await response.json()).toMatchObject({ code: "internal_error" });
    }
  });

  it("end with an error if the caller loses ownership of the times being read", async () => {
    const long = await s.longOwned(ann);
    await s.load(long, ann, await walk(long.serial_number, START, 4 * 3600, { periodMs: 1000 }));
    const ctx: Context = {
      ...s.ctx,
      caller: {
        id: ann.id,
        role: "MANAGER",
        username: ann.username,
        canCreateManagedAthletes: false,
        scopes: null,
      },
      isSignedIn: async () => true,
    };
    const target = await authorize(ctx, "downloadSamples", { device: long.id });
    const pieces = downloadSamples(ctx, target, {}, { format: "csv" });
    expect((await pieces.next()).done).toBe(false);
    await s.ctx.queries
      .update(ownerships)
      .set({ endTime: new Date(START_MS + 60_000) })
      .where(eq(ownerships.deviceId, long.id));
    const readAll = async () => {
      for await (const _ of pieces);
    };
    await expect(readAll()).rejects.toMatchObject({ kind: "forbidden" });
  });
});
